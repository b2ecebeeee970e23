import { realPathOf } from '@polylogue/tools'

/**
 * The directories that the configuration names for agents. Links are followed once, at start: whoever changes one later
 * leads no session elsewhere.
 */
export function findAgentDirectories(
  agents: readonly { readonly name: string; readonly workspace?: string | undefined }[],
): ReadonlyMap<string, string> {
  return new Map(
    agents.flatMap(({ name, workspace }) => (workspace === undefined ? [] : [[name, realPathOf(workspace)] as const])),
  )
}

import { existsSync, realpathSync } from 'node:fs'

/**
 * The directories that the configuration names for agents. Links are followed once, at start: whoever changes one later
 * leads no session elsewhere.
 */
export function findAgentDirectories(
  agents: readonly { readonly name: string; readonly workspace?: string | undefined }[],
): ReadonlyMap<string, string> {
  return new Map(
    agents.flatMap(({ name, workspace }) => (workspace === undefined ? [] : [[name, followLinks(workspace)] as const])),
  )
}

const followLinks = (path: string): string => (existsSync(path) ? realpathSync(path) : path)

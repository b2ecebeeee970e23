import { isAbsolute } from 'node:path'
import { z } from 'zod'

/** What the operator says about editors, under `acp` in the configuration. */
export interface AcpSettings {
  /** Of editors that come over the network, by user: the directories that sessions may work in. `*` is everybody. */
  readonly roots: Readonly<Record<string, readonly string[]>>
  /** Whether tools read and write files through an editor on this machine that offers it. */
  readonly editorFiles: boolean
  /** Whether `Bash` runs in terminals of such an editor. */
  readonly editorTerminals: boolean
}

const directory = z.string().max(4096).refine(isAbsolute, 'must be an absolute path')

export const acpSchema = z.strictObject({
  roots: z.record(z.string().min(1).max(200), z.array(directory).max(100)).default({}),
  editorFiles: z.boolean().default(true),
  editorTerminals: z.boolean().default(false),
}) satisfies z.ZodType<AcpSettings>

export function rootsOf({ roots }: Pick<AcpSettings, 'roots'>, userId: string): readonly string[] {
  const own = Object.hasOwn(roots, userId) ? (roots[userId] ?? []) : []
  return [...own, ...(roots['*'] ?? [])]
}

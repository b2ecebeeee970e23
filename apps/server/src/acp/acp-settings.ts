import { isAbsolute } from 'node:path'
import { z } from 'zod'

/** The settings under `acp` in the configuration. */
export interface AcpSettings {
  /** By user, the directories where editors over the network may work. `*` applies to every user. */
  readonly roots: Readonly<Record<string, readonly string[]>>
  /** Whether tools read and write files through a local editor that offers it. */
  readonly editorFiles: boolean
  /** Whether `Bash` runs in terminals of a local editor. */
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

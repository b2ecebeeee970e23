import { isAbsolute } from 'node:path'
import { z } from 'zod'

/** What the operator says about editors that come over the network, under `acp` in the configuration. */
export interface AcpSettings {
  /** By user: the directories that sessions may work in. `*` is everybody. */
  readonly roots: Readonly<Record<string, readonly string[]>>
}

const directory = z.string().max(4096).refine(isAbsolute, 'must be an absolute path')

export const acpSchema = z.strictObject({
  roots: z.record(z.string().min(1).max(200), z.array(directory).max(100)).default({}),
}) satisfies z.ZodType<AcpSettings>

export function rootsOf({ roots }: AcpSettings, userId: string): readonly string[] {
  const own = Object.hasOwn(roots, userId) ? (roots[userId] ?? []) : []
  return [...own, ...(roots['*'] ?? [])]
}

import { isAbsolute } from 'node:path'
import { z } from 'zod'

/** What the operator says of built-in tools. */
export const bashSchema = z.strictObject({
  /** `auto`: bubblewrap where it works. `required`: no command runs without it. */
  sandbox: z.enum(['auto', 'none', 'required']).default('auto'),
  /** Whether sandboxed commands have a network. */
  network: z.boolean().default(false),
  /** Paths that sandboxed commands may read besides programs and their workspace. `~` is the home directory. */
  readable: z
    .array(
      z
        .string()
        .max(4096)
        .refine((path) => path === '~' || path.startsWith('~/') || isAbsolute(path), 'must be absolute'),
    )
    .max(200)
    .default([]),
})

export const webFetchSchema = z.strictObject({
  /** Addresses, networks and hosts beside the public network that may be asked. */
  allowHosts: z.array(z.string().min(1).max(255)).max(1000).default([]),
})

export interface ToolSettings {
  readonly bash: z.output<typeof bashSchema>
  readonly webFetch: z.output<typeof webFetchSchema>
}

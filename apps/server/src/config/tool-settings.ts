import { isAbsolute } from 'node:path'
import { z } from 'zod'

/** Settings of built-in tools. */
export const bashSchema = z.strictObject({
  /** `auto`: bubblewrap where it works. `required`: no command runs without it. */
  sandbox: z.enum(['auto', 'none', 'required']).default('auto'),
  /**
   * Whose approved commands have a network if they show that they need it. `true`: every command has one. `false`: none
   * has.
   */
  network: z.union([z.boolean(), z.enum(['local', 'everyone'])]).default('local'),
  /** The size of a workspace's cache of packages. */
  cacheMb: z.int().min(1).max(1_048_576).optional(),
  /** Who may run commands, and use MCP servers that are programs, where bubblewrap does not work. */
  withoutSandbox: z.enum(['local', 'everyone']).default('local'),
  /** Limits of one command. Absent values keep their defaults. */
  limits: z
    .strictObject({
      memoryMb: z.int().min(16).max(1_048_576).optional(),
      processes: z.int().min(8).max(1_000_000).optional(),
      openFiles: z.int().min(32).max(1_048_576).optional(),
      cpuSeconds: z.int().min(1).max(1_000_000).optional(),
      fileMb: z.int().min(1).max(1_048_576).optional(),
    })
    .default({}),
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
  /** Addresses, networks and hosts besides the public network that may be fetched. */
  allowHosts: z.array(z.string().min(1).max(255)).max(1000).default([]),
})

export interface ToolSettings {
  readonly bash: z.output<typeof bashSchema>
  readonly webFetch: z.output<typeof webFetchSchema>
}

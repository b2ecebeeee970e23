import { z } from 'zod'

/** What the operator says of built-in tools. */
export const bashSchema = z.strictObject({
  /** `auto`: bubblewrap where it works. `required`: no command runs without it. */
  sandbox: z.enum(['auto', 'none', 'required']).default('auto'),
  /** Whether sandboxed commands have a network. */
  network: z.boolean().default(false),
})

export const webFetchSchema = z.strictObject({
  /** Addresses, networks and hosts beside the public network that may be asked. */
  allowHosts: z.array(z.string().min(1).max(255)).max(1000).default([]),
})

export interface ToolSettings {
  readonly bash: z.output<typeof bashSchema>
  readonly webFetch: z.output<typeof webFetchSchema>
}

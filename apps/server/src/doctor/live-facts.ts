import { z } from 'zod'

/** Facts that only the running server knows. */
export const liveFacts = z.object({
  version: z.string(),
  node: z.string(),
  phase: z.string(),
  url: z.string().optional(),
  database: z.string(),
  databaseSoftware: z.string(),
  uptimeS: z.number(),
  openStreams: z.number(),
  runningTurns: z.number(),
  storageFaults: z.number(),
  /** Seconds. */
  lastStorageFault: z.number().optional(),
  rssBytes: z.number(),
})

export type LiveFacts = z.infer<typeof liveFacts>

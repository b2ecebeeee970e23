import { z } from 'zod'

/** The repeated work of one client: one request, or one round of requests, on its own session. */
export const LOADS = [
  'turn-none',
  'turn-deltas',
  'turn-tool',
  'turn-client-tool',
  'turn-approval',
  'create',
  'list',
  'get',
  'meta',
  'history',
] as const

export type LoadName = (typeof LOADS)[number]

export const loadJob = z.object({
  url: z.url(),
  key: z.string(),
  agent: z.string(),
  load: z.enum(LOADS),
  clients: z.int().positive(),
  /** Repetitions of every client. */
  rounds: z.int().positive(),
  /** The turns of the session that `history` reads. */
  turns: z.int().nonnegative(),
})

export type LoadJob = z.infer<typeof loadJob>

export const loadResult = z.object({ perSecond: z.number(), firstByteP50Ms: z.number(), rounds: z.int() })

export type LoadResult = z.infer<typeof loadResult>

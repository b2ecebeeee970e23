import { z } from 'zod'

/** What one client does over and over. Each is one request, or one round of requests, on a session of its own. */
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
  /** By every client. */
  rounds: z.int().positive(),
  /** Of the session that `history` reads. */
  turns: z.int().nonnegative(),
})

export type LoadJob = z.infer<typeof loadJob>

export const loadResult = z.object({ perSecond: z.number(), firstByteP50Ms: z.number(), rounds: z.int() })

export type LoadResult = z.infer<typeof loadResult>

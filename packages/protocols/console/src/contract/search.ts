import { z } from 'zod'
import { count, queryNumber } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'
import { session } from './sessions.ts'

const hit = z
  .object({
    session,
    /** Where the words were said. Absent when only the title has them, or the place is too far back. */
    place: z
      .object({
        seq: z.number(),
        /** The message or the step, as doors name it. Absent in a conversation that was imported. */
        entryId: z.string().optional(),
        speaker: z.enum(['user', 'agent']),
        /** Around the first of the words. `match` is empty where the words are written differently. */
        before: z.string(),
        match: z.string(),
        after: z.string(),
      })
      .optional(),
  })
  .meta({ id: 'ConsoleHit' })
export type Hit = Sent<z.infer<typeof hit>>

const name = z.string().min(1).max(200).optional()

export const searchOperations = defineOperations({
  findSessions: {
    method: 'GET',
    path: '/search',
    tag: 'sessions',
    summary: 'Find your sessions by title and by what was said in them, last changed first.',
    status: 200,
    isLarge: true,
    query: z.object({
      /** Words of the title or the conversation. Absent: all sessions. */
      q: z.string().trim().min(1).max(500).optional(),
      status: z.enum(['idle', 'running', 'waiting']).optional(),
      agent: name,
      /** The door that a session came through. */
      via: name,
      offset: queryNumber().int().min(0).max(1_000_000).default(0),
      limit: queryNumber().int().min(1).max(100).default(50),
    }),
    /** `next`: the offset of the next page. `isPartial`: some texts were not searched. */
    answer: z.object({
      hits: z.array(hit),
      /** All matches. Absent with a filter. */
      total: count.optional(),
      next: z.number().optional(),
      isPartial: z.boolean().optional(),
    }),
  },
})

import { z } from 'zod'
import { count, queryNumber } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'

const shownTurn = z
  .object({
    /** Its place in the chat. Absent for what a row contains: turns of sub-agents, and answers to questions. */
    row: z.number().optional(),
    /** The event that began it. */
    seq: z.number(),
    run: z.string().optional(),
    /** The door that the message came through. */
    via: z.string().optional(),
    /** As Blade sends it to its clients. */
    turn: z.looseObject({ turn_id: z.string() }),
  })
  .meta({ id: 'ConsoleShownTurn' })
export type ShownTurn = Sent<z.infer<typeof shownTurn>>

const turnsPage = z.object({
  rows: z.array(shownTurn),
  /** All rows of the chat. */
  total: count,
  /** The last event that the page shows. */
  seq: z.number(),
  /** The number of the last patch. Patches after it are not in the page. */
  patch: z.number(),
  /** The number of recorded events. */
  last: z.number(),
})
export type TurnsPage = Sent<z.infer<typeof turnsPage>>

export const turnOperations = defineOperations({
  readTurns: {
    method: 'GET',
    path: '/sessions/{id}/turns',
    tag: 'sessions',
    summary: 'Read a page of the chat, the last one first. Users with whom the session is shared can read it too.',
    status: 200,
    isLarge: true,
    query: z.object({
      /** A sub-agent's conversation. Default: that of the session's own agent. */
      loop: z.string().min(1).max(200).optional(),
      /** Rows before this one. */
      before: queryNumber().int().min(0).optional(),
      /** The page that holds this turn: the id of a turn or of a message. */
      of: z.string().min(1).max(200).optional(),
      limit: queryNumber().int().min(1).max(200).default(50),
      /** The chat as it was after this event. */
      at: queryNumber().int().min(1).optional(),
    }),
    answer: turnsPage,
  },
})

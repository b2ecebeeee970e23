import { z } from 'zod'
import { queryNumber, time } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'

const presented = z.object({
  /** Of the event, method or frame. */
  name: z.string(),
  /** The resume cursor, where the wire has one. */
  id: z.string().optional(),
  /** The JSON value on the wire. */
  body: z.unknown(),
})
export type PresentedMessage = Sent<z.infer<typeof presented>>

const doorsRow = z
  .object({
    seq: z.number(),
    at: time,
    event: z.looseObject({ type: z.string() }),
    /** What each door sends its clients for this event, by the door's name. */
    shown: z.record(z.string(), z.array(presented)),
  })
  .meta({ id: 'ConsoleDoorsRow' })
export type DoorsRow = Sent<z.infer<typeof doorsRow>>

const attachedClient = z
  .object({
    door: z.string(),
    /** The name that the client gave itself. */
    client: z.string().optional(),
    key: z.string().optional(),
    since: time,
    /** The last recorded event that the client got, or for Blade confirmed. */
    cursor: z.number().optional(),
    /** How many events it is behind the log. */
    lag: z.number().optional(),
  })
  .meta({ id: 'ConsoleAttachedClient' })
export type AttachedClient = Sent<z.infer<typeof attachedClient>>

const tag = 'sessions'

export const doorOperations = defineOperations({
  readDoors: {
    method: 'GET',
    path: '/sessions/{id}/doors',
    tag,
    summary: "Read a page of the session's log, with what each door's clients get for every event.",
    status: 200,
    isLarge: true,
    query: z.object({
      after: queryNumber().int().min(0).default(0),
      limit: queryNumber().int().min(1).max(1000).default(200),
      /** `1`: server-sent events `row`, which go on as the session does; `limit` does not count. */
      follow: z.enum(['0', '1']).optional(),
    }),
    /** `doors` are the columns, in their order. The last row of a page also holds what waited for the next event. */
    answer: z.object({ doors: z.array(z.string()), rows: z.array(doorsRow), last: z.number() }),
  },
  readClients: {
    method: 'GET',
    path: '/sessions/{id}/clients',
    tag,
    summary: 'List who reads the session now, and through which door.',
    status: 200,
    answer: z.object({ clients: z.array(attachedClient) }),
  },
})

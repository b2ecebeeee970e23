import { z } from 'zod'
import { count } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'

const loggedEvent = z.looseObject({ type: z.string() })

const replayDifference = z
  .object({
    /** Where in the log. */
    seq: z.number(),
    type: z.enum(['event', 'request', 'stops', 'goes-on', 'refused']),
    /** What the log has there. */
    logged: loggedEvent.optional(),
    /** What today's code records there. */
    today: loggedEvent.optional(),
    /** The field that differs, or why a command is refused. */
    detail: z.string().optional(),
  })
  .meta({ id: 'ConsoleReplayDifference' })
export type ReplayDifference = Sent<z.infer<typeof replayDifference>>

const replayReport = z.object({
  /** Events that come out the same. */
  compared: count,
  /** Events that were not compared: their process ended in the middle. */
  skipped: count,
  /** Requests to models that were compared. */
  requests: count,
  /** At most 100. */
  differences: z.array(replayDifference),
})
export type ReplayReport = Sent<z.infer<typeof replayReport>>

const tag = 'sessions'

export const recordingOperations = defineOperations({
  changeRecording: {
    method: 'PATCH',
    path: '/sessions/{id}/recording',
    tag,
    summary: 'Begin or end to keep the requests to models and their answers with a session.',
    status: 200,
    body: z.object({ on: z.boolean() }),
    answer: z.object({ on: z.boolean() }),
  },
  readRecording: {
    method: 'GET',
    path: '/sessions/{id}/recording',
    tag,
    summary: 'Read whether a session is recorded, and what a replay of it in another place needs.',
    status: 200,
    answer: z.object({
      on: z.boolean(),
      agents: z.array(z.looseObject({ name: z.string() })),
      /** The versions in which the server sends events, by type. Types that are not listed have version 1. */
      versions: z.record(z.string(), count),
    }),
  },
  readRecorded: {
    method: 'GET',
    path: '/sessions/{id}/recording/{hash}',
    tag,
    summary: 'Read a recorded request with its answer, or a group of messages that one refers to, as JSON text.',
    status: 200,
    isLarge: true,
    answer: z.object({ text: z.string() }),
  },
  replaySession: {
    method: 'POST',
    path: '/sessions/{id}/replay',
    tag,
    summary: "Play the log of a session through today's code and say where it differs.",
    status: 200,
    isLarge: true,
    answer: replayReport,
    refusals: { 413: 'the log is too long' },
  },
})

import { z } from 'zod'
import { agentName, count, preset, queryNumber, time } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'

/** Another session, and the last turn that the fork and its parent have in common. */
const relative = z.object({ sessionId: z.string(), turnId: z.string().optional() })

export const session = z
  .object({
    sessionId: z.string(),
    user: z.string(),
    title: z.string().optional(),
    status: z.enum(['idle', 'running', 'waiting']),
    agent: z.string(),
    preset,
    model: z.string().optional(),
    /** How much the model thinks; absent: as much as it does by default. */
    thinking: z.string().optional(),
    directories: z.array(z.string()),
    /** The door that it came through, such as `acp`. Absent: unknown. */
    via: z.string().optional(),
    /** Of a forked session. It may be deleted by now. */
    parent: relative.optional(),
    /** The sessions that were forked from this one. */
    forks: z.array(relative).optional(),
    lastOutcome: z.string().optional(),
    waitingCalls: z.array(z.string()),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'ConsoleSession' })
export type Session = Sent<z.infer<typeof session>>

const text = z.object({ type: z.literal('text'), text: z.string() })
const thinking = z.object({ type: z.literal('thinking'), text: z.string() })
const toolCall = z.object({
  type: z.literal('tool-call'),
  toolCallId: z.string(),
  name: z.string(),
  input: z.unknown(),
})
/** `url`, or `hash` and `mediaType` of an image that the server keeps. */
const image = z.object({
  type: z.literal('image'),
  url: z.string().optional(),
  hash: z.string().optional(),
  mediaType: z.string().optional(),
})
export const messagePart = z.discriminatedUnion('type', [text, thinking, toolCall, image])
export type MessagePart = Sent<z.infer<typeof messagePart>>

export const message = z
  .object({
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    /** Of a message of the role `tool`. */
    toolCallId: z.string().optional(),
    content: z.union([z.string(), z.array(messagePart)]),
  })
  .meta({ id: 'ConsoleMessage' })
export type Message = Sent<z.infer<typeof message>>

export const sessionRecord = z.object({
  session,
  /** Everything that was said, in order, unless the request wants none. */
  messages: z.array(message),
  /** The number of recorded events, which is also the newest `seq`. */
  events: count,
})
export type SessionRecord = Sent<z.infer<typeof sessionRecord>>

const loggedEvent = z.object({ seq: z.number(), at: time, event: z.looseObject({ type: z.string() }) })

const changes = z
  .object({
    preset,
    planning: z.boolean(),
    /** `provider/model`, from the next turn on. */
    model: z.string().min(1).max(200),
    /** One of the levels of the model; an empty text: as much as it does by default. */
    thinking: z.string().max(20),
  })
  .partial()
  .refine(
    ({ preset: wanted, planning }) => wanted === undefined || planning === undefined,
    'give `preset` or `planning`',
  )

const tag = 'sessions'

export const sessionOperations = defineOperations({
  listSessions: {
    method: 'GET',
    path: '/sessions',
    tag,
    summary: 'List your sessions, newest first.',
    status: 200,
    query: z.object({ before: z.uuid().optional(), limit: queryNumber().int().min(1).max(100).default(50) }),
    answer: z.object({ sessions: z.array(session), next: z.string().optional() }),
  },
  createSession: {
    method: 'POST',
    path: '/sessions',
    tag,
    summary: 'Make a session with all tools of its agent; its preset decides about their calls.',
    status: 201,
    body: z.object({
      agent: agentName.optional(),
      preset: preset.optional(),
      /** Where it works; absolute. Only over the owner socket. Default: a directory of its own. */
      directory: z.string().min(1).max(4096).optional(),
    }),
    answer: z.object({ sessionId: z.string() }),
    refusals: { 403: 'the preset is above your ceiling, or the directory is not yours to choose' },
  },
  readSession: {
    method: 'GET',
    path: '/sessions/{id}',
    tag,
    summary: 'Read a session and everything that was said in it.',
    status: 200,
    isLarge: true,
    query: z.object({
      /** `0`: leaves the messages out. */
      messages: z.enum(['0', '1']).default('1'),
    }),
    answer: sessionRecord,
  },
  changeSession: {
    method: 'PATCH',
    path: '/sessions/{id}',
    tag,
    summary: 'Change the preset, the model or the thinking of a session, or begin or end planning.',
    status: 200,
    body: changes,
    answer: z.object({ preset, model: z.string().optional(), thinking: z.string().optional() }),
    refusals: { 403: 'the preset is above your ceiling' },
  },
  forkSession: {
    method: 'POST',
    path: '/sessions/{id}/fork',
    tag,
    summary: 'Make a session that starts with a copy of this one, up to the end of a turn or before a message.',
    status: 201,
    isLarge: true,
    body: z
      .object({
        /** Default: the last turn that has ended. */
        turnId: z.string().min(1).max(200).optional(),
        /** The `id` of a message of the user: everything before it is copied. */
        beforeInput: z.string().min(1).max(200).optional(),
        title: z.string().min(1).max(200).optional(),
      })
      .refine(
        ({ turnId, beforeInput }) => turnId === undefined || beforeInput === undefined,
        'give `turnId` or `beforeInput`',
      ),
    answer: relative,
  },
  embedSession: {
    method: 'POST',
    path: '/sessions/{id}/embed',
    tag,
    summary: 'Make an address that shows this session in a frame of a listed page. It works once, for ten minutes.',
    status: 201,
    body: z.strictObject({}),
    answer: z.object({ url: z.string(), expiresAt: time }),
    refusals: {
      403: 'no page is listed, the server has no https address, or the browser signed in more than ten minutes ago',
    },
  },
  cancelCall: {
    method: 'POST',
    path: '/sessions/{id}/calls/{call}/cancel',
    tag,
    summary: 'Stop one tool call; its turn goes on.',
    status: 200,
    body: z.object({ reason: z.string().min(1).max(1000).default('cancelled by the user') }),
    answer: z.object({ cancelled: z.boolean() }),
  },
  compactSession: {
    method: 'POST',
    path: '/sessions/{id}/compact',
    tag,
    summary: 'Ask for a summary of the older messages. The log says how it went.',
    status: 202,
    answer: z.object({}),
    refusals: { 409: 'a turn is running, or there is nothing to compact' },
  },
  readEvents: {
    method: 'GET',
    path: '/sessions/{id}/events',
    tag,
    summary: "Read a page of the session's log, oldest first.",
    status: 200,
    isLarge: true,
    query: z.object({
      after: queryNumber().int().min(0).default(0),
      /** The last events before this seq, instead of the first ones after `after`. */
      before: queryNumber().int().min(1).optional(),
      /** Only events of this type, such as `turn.ended`. */
      type: z.string().min(1).max(100).optional(),
      limit: queryNumber().int().min(1).max(1000).default(200),
      /** `1`: server-sent events `event`, which go on as the session does; `before` and `limit` do not count. */
      follow: z.enum(['0', '1']).optional(),
    }),
    /** `next`: the `after` of the next page, or with `before` the `before` of the previous one. */
    answer: z.object({ events: z.array(loggedEvent), next: z.number().optional() }),
  },
})

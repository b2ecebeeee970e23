// The operations of both versions, for an OpenAPI document. Bodies are described here a second time: the schemas that read
// them stop at the first bad element of a list, which no JSON Schema can say.
import { z } from 'zod'
import {
  HISTORY_TYPES,
  STREAM_MODES,
  agentConfig,
  history,
  message,
  session,
  toolPermission,
  toolSpec,
  wireEvent,
  wireMeta,
  wireTurnResponse,
  type AapVersion,
} from './wire.ts'

/** `path` is whole, with parameters in braces. */
export interface DescribedOperation {
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly status: 200 | 201 | 202 | 204
  readonly isOpen: false
  readonly isFile: false
  readonly query: z.ZodObject | undefined
  readonly body: z.ZodObject | undefined
  readonly answer: z.ZodType | undefined
  /** The events of the answer, if it is a stream. */
  readonly events?: z.ZodType
  readonly refusals?: { readonly [status: number]: string }
  readonly failure: { readonly body: z.ZodType; readonly wrongRequest: 400 }
}

type Operation = Pick<DescribedOperation, 'name' | 'method' | 'path' | 'summary'> &
  Partial<Pick<DescribedOperation, 'status' | 'query' | 'body' | 'answer' | 'events' | 'refusals'>>

const named = <Schema extends z.ZodType>(schema: Schema, id: string): Schema => schema.clone().meta({ id })

const aapMessage = named(message, 'AapMessage')
const aapSession = named(session, 'AapSession')
const event = named(wireEvent, 'AapEvent')
const turnResponse = named(wireTurnResponse, 'AapTurnResponse')
const failure = z.object({ error: z.string() }).meta({ id: 'AapFailure' })
const stream = z.enum(STREAM_MODES).optional()
const tools = z.array(toolSpec).optional()
const turnBody = z.object({
  agent: agentConfig.partial().optional(),
  messages: z.array(z.union([aapMessage, toolPermission])),
  tools,
  stream,
})
const creation = z.object({ agent: agentConfig, messages: z.array(aapMessage).optional(), tools })
const created = z.object({ sessionId: z.string() })
const page = z.object({ after: z.string().optional() })
const busy = { 409: 'a turn is already running in this session' }

const SHARED: readonly Operation[] = [
  {
    name: 'readMeta',
    method: 'GET',
    path: '/meta',
    summary: 'List the agents and what they can do.',
    answer: wireMeta,
  },
]

const VERSION_3: readonly Operation[] = [
  ...SHARED,
  {
    name: 'listSessions',
    method: 'GET',
    path: '/sessions',
    summary: 'List your sessions, newest first.',
    query: page,
    answer: z.object({ sessions: z.array(aapSession), next: z.string().optional() }),
  },
  {
    name: 'createSession',
    method: 'POST',
    path: '/sessions',
    summary: 'Create a session.',
    status: 201,
    body: creation,
    answer: created,
  },
  { name: 'readSession', method: 'GET', path: '/sessions/{id}', summary: 'Read a session.', answer: aapSession },
  { name: 'deleteSession', method: 'DELETE', path: '/sessions/{id}', summary: 'Delete a session.', status: 204 },
  {
    name: 'readHistory',
    method: 'GET',
    path: '/sessions/{id}/history',
    summary: 'Read the history of a session.',
    query: z.object({ type: z.enum(HISTORY_TYPES) }),
    answer: z.object({ history }),
  },
  {
    name: 'runTurn',
    method: 'POST',
    path: '/sessions/{id}/turns',
    summary:
      'Run a turn: a question, results of client tools, or permissions. Streams events unless `stream` is `none`.',
    body: turnBody,
    answer: turnResponse,
    events: event,
    refusals: busy,
  },
  {
    name: 'followEvents',
    method: 'GET',
    path: '/sessions/{id}/events',
    summary: 'Follow a turn from an event on. With `follow=1` the stream stays open for later turns.',
    query: z.object({ after: z.string().optional(), follow: z.string().optional() }),
    events: event,
  },
  {
    name: 'cancelTurn',
    method: 'POST',
    path: '/sessions/{id}/cancel',
    summary: 'Cancel the running turn.',
    status: 202,
  },
]

const VERSION_1: readonly Operation[] = [
  ...SHARED,
  {
    name: 'listSessions',
    method: 'GET',
    path: '/sessions',
    summary: 'List the ids of your sessions, newest first.',
    query: page,
    answer: z.object({ sessions: z.array(z.string()), next: z.string().optional() }),
  },
  {
    name: 'createAndRun',
    method: 'PUT',
    path: '/session',
    summary: 'Create a session and run its first turn.',
    body: creation.extend({ stream }),
    answer: turnResponse,
    events: event,
  },
  {
    name: 'readSession',
    method: 'GET',
    path: '/session/{id}',
    summary: 'Read a session with its histories.',
    query: z.object({ history: z.enum(HISTORY_TYPES).optional() }),
    answer: session.extend({ history: history.optional() }),
  },
  {
    name: 'runTurn',
    method: 'POST',
    path: '/session/{id}',
    summary: 'Run a turn in a session.',
    body: turnBody,
    answer: turnResponse,
    events: event,
    refusals: busy,
  },
  { name: 'deleteSession', method: 'DELETE', path: '/session/{id}', summary: 'Delete a session.', status: 204 },
  {
    name: 'followEvents',
    method: 'GET',
    path: '/session/{id}/events',
    summary: 'Follow a turn from an event on.',
    query: z.object({ after: z.string().optional(), follow: z.string().optional() }),
    events: event,
  },
  {
    name: 'cancelTurn',
    method: 'POST',
    path: '/session/{id}/cancel',
    summary: 'Cancel the running turn.',
    status: 202,
  },
]

export function describeOperations(version: AapVersion, basePath: string): readonly DescribedOperation[] {
  return (version === 3 ? VERSION_3 : VERSION_1).map(({ name, path, status = 200, query, body, answer, ...rest }) => ({
    ...rest,
    name: `aapV${version}_${name}`,
    path: `${basePath}${path}`,
    tag: `AAP v${version}`,
    status,
    query,
    body,
    answer,
    isOpen: false,
    isFile: false,
    failure: { body: failure, wrongRequest: 400 },
  }))
}

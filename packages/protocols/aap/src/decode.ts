import { parseShape } from '@polylogue/kit'
import type { z } from 'zod'
import { WireError } from './errors.ts'
import {
  firstIssue,
  requestSchemas,
  type AgentOverride,
  type CreateSessionRequest,
  type HistoryMessage,
  type InputContent,
  type ToolSpec,
  type TurnMessage,
} from './requests.ts'
import { STREAM_MODES, type AapVersion, type StreamMode } from './wire.ts'

export type CallMessage = Extract<TurnMessage, { role: 'tool' | 'tool_permission' }>

export interface TurnRequest {
  readonly stream: StreamMode
  readonly agent: AgentOverride | undefined
  readonly tools: readonly ToolSpec[] | undefined
  readonly messages:
    | { readonly type: 'input'; readonly content: InputContent }
    | { readonly type: 'answers'; readonly answers: readonly CallMessage[] }
}

export interface CreateAndRunRequest {
  readonly stream: StreamMode
  readonly agent: CreateSessionRequest['agent']
  readonly tools: readonly ToolSpec[] | undefined
  readonly seed: readonly HistoryMessage[]
  readonly input: InputContent
}

export function parseCreateSession(body: unknown): CreateSessionRequest {
  return parse(requestSchemas.createSession, body)
}

export function parseCreateAndRun(body: unknown): CreateAndRunRequest {
  const { agent, messages = [], tools, stream = 'none' } = parse(requestSchemas.createAndRun, body)
  const last = messages.at(-1)
  if (last?.role !== 'user') throw new WireError(400, 'Last message must be a user message')
  return { stream, agent, tools, seed: messages.slice(0, -1), input: last.content }
}

export function parseTurn(version: AapVersion, body: unknown): TurnRequest {
  return plainTurn(body) ?? parseAnyTurn(version, body)
}

/** The most frequent body: one user message that is a text. `undefined`: the schema decides. */
function plainTurn(body: unknown): TurnRequest | undefined {
  if (typeof body !== 'object' || body === null || !('messages' in body) || !Array.isArray(body.messages))
    return undefined
  for (const name in body) if (name !== 'messages' && name !== 'stream') return undefined
  const wanted = 'stream' in body ? body.stream : 'none'
  const stream = STREAM_MODES.find((mode) => mode === wanted)
  const messages: readonly unknown[] = body.messages
  const first = messages[0]
  if (stream === undefined || messages.length !== 1 || typeof first !== 'object' || first === null) return undefined
  if (!('role' in first) || first.role !== 'user' || !('content' in first)) return undefined
  const { content } = first
  if (typeof content !== 'string') return undefined
  return { stream, agent: undefined, tools: undefined, messages: { type: 'input', content } }
}

function parseAnyTurn(version: AapVersion, body: unknown): TurnRequest {
  const { agent, messages, tools, stream = 'none' } = parse(requestSchemas.turn[version], body)
  return { stream, agent, tools, messages: toTurnMessages(messages) }
}

function toTurnMessages(messages: readonly TurnMessage[]): TurnRequest['messages'] {
  const [first] = messages
  if (first === undefined) throw new WireError(400, 'messages: expected at least one message')
  if (first.role === 'user' && messages.length === 1) return { type: 'input', content: first.content }
  const answers: CallMessage[] = []
  for (const message of messages) {
    if (message.role === 'user') {
      throw new WireError(400, 'messages: expected one user message, or tool and tool_permission messages only')
    }
    answers.push(message)
  }
  return { type: 'answers', answers }
}

function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = parseShape(schema, body)
  if (result.success) return result.data
  const { path, message } = firstIssue(result.error.issues)
  throw new WireError(400, describeProblem(path, message))
}

// The client chose the keys in the path: a huge key must not make a huge answer.
const MAX_PATH_LENGTH = 200

function describeProblem(path: readonly PropertyKey[], message: string): string {
  const reason = message.replace(/^Invalid input: /, '').replaceAll(' or Invalid input: ', ' or ')
  let field = ''
  for (const key of path) field += typeof key === 'number' ? `[${key}]` : `${field === '' ? '' : '.'}${String(key)}`
  return `${field === '' ? 'body' : field.slice(0, MAX_PATH_LENGTH)}: ${reason}`
}

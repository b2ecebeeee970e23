import type { CreateElicitationRequest, ElicitationPropertySchema } from '@agentclientprotocol/sdk'
import type { SessionId, ToolCallId } from '@polylogue/engine'
import { isObject } from '../is-object.ts'
import { ASK_USER } from '../light/initialize-answer.ts'
import { CODES, RpcError } from '../rpc/rpc-error.ts'
import type { RpcPeer } from '../rpc/rpc-peer.ts'
import type { Question } from './questions.ts'

export interface QuestionChannel {
  readonly peer: RpcPeer
  readonly sessionId: SessionId
  readonly toolCallId: ToolCallId
  readonly fillsForms: boolean
  /** Shared by the connection: whether the client answered that it does not know the extension. */
  readonly extension: { isUnknown: boolean }
}

/** Returns `undefined` when the client gives no answer. Rejects with `RequestAbandoned`. */
export async function askQuestion(
  question: Question,
  channel: QuestionChannel,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { peer, extension } = channel
  try {
    if (channel.fillsForms) {
      return readForm(await peer.request('elicitation/create', toForm(question, channel), { signal }))
    }
    if (extension.isUnknown) return undefined
    return readAnswer(await peer.request(ASK_USER, toAskUser(question, channel), { signal }))
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    if (error.code === CODES.methodNotFound) extension.isUnknown = true
    return undefined
  }
}

export function toForm(
  question: Question,
  { sessionId, toolCallId }: Pick<QuestionChannel, 'sessionId' | 'toolCallId'>,
): CreateElicitationRequest {
  return {
    sessionId,
    toolCallId,
    mode: 'form',
    message: question.question,
    requestedSchema: { type: 'object', properties: { answer: toProperty(question) }, required: ['answer'] },
  }
}

function toProperty({ header, options, isMultiple }: Question): ElicitationPropertySchema {
  const title = header === undefined ? {} : { title: header }
  if (options.length === 0) return { type: 'string', ...title }
  const choices = { type: 'string', enum: [...options] } as const
  return isMultiple ? { type: 'array', items: choices, ...title } : { ...choices, ...title }
}

function toAskUser({ question, header, options, isMultiple }: Question, { sessionId }: QuestionChannel): object {
  return {
    sessionId,
    question,
    ...(header !== undefined && { header }),
    ...(options.length > 0 && { options, multiple: isMultiple, allowCustom: true }),
  }
}

function readForm(answer: unknown): string | undefined {
  if (!isObject(answer) || answer['action'] !== 'accept' || !isObject(answer['content'])) return undefined
  const value = answer['content']['answer']
  if (Array.isArray(value)) return notBlank(value.filter((item) => typeof item === 'string').join(', '))
  return notBlank(value)
}

/** Accepts `{answer}` and `{outcome: 'answered', text}`. */
function readAnswer(answer: unknown): string | undefined {
  if (!isObject(answer)) return undefined
  if (answer['outcome'] === 'answered') return notBlank(answer['text'])
  return answer['outcome'] === undefined ? notBlank(answer['answer']) : undefined
}

const notBlank = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

import {
  canonicalJson,
  type AgentDefinition,
  type AnswerCalls,
  type CallAnswer,
  type Digest,
  type IdempotencyKey,
  type SessionId,
  type StartTurn,
  type TurnSettings,
  type UserId,
} from '@polylogue/engine'
import type { SendRequest } from '../schema/client-events.ts'
import type { IncomingMessageContent } from './message-content.ts'

export interface SendTarget {
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly keyId: string
}

export interface TurnParts extends Pick<IncomingMessageContent, 'content' | 'blobs'> {
  readonly agent: AgentDefinition | undefined
  readonly digest: Digest
}

export function toStartTurn(
  { userId, sessionId, keyId }: SendTarget,
  request: SendRequest,
  { content, blobs, agent, digest }: TurnParts,
): StartTurn {
  return {
    type: 'start-turn',
    userId,
    sessionId,
    content,
    blobs,
    settings: { ...toSettings(request, agent), keyId },
    whenRunning: 'queue',
    ...idempotencyOf(request, digest),
  }
}

function toSettings({ model, mode, headless, output_schema }: SendRequest, agent?: AgentDefinition): TurnSettings {
  const isHeadless = headless === true || output_schema !== undefined
  const forks = agent?.tools.filter(({ performer }) => performer === 'agent').map(({ name }) => name) ?? []
  return {
    ...(model !== undefined && { model }),
    ...(mode !== undefined && { isPlanning: mode === 'planning' }),
    ...(isHeadless && { isUnattended: true, withheldTools: forks }),
    ...(output_schema !== undefined && { outputSchema: output_schema }),
  }
}

export function toAnswerCalls(
  { userId, sessionId }: SendTarget,
  request: SendRequest,
  { answer, digest }: { readonly answer: CallAnswer; readonly digest: Digest },
): AnswerCalls {
  return {
    type: 'answer-calls',
    userId,
    sessionId,
    answers: [answer],
    ...(request.mode !== undefined && { changes: { planning: request.mode === 'planning' } }),
    whenRunning: 'accept',
    ...idempotencyOf(request, digest),
  }
}

function idempotencyOf(request: SendRequest, digest: Digest): { readonly idempotency?: IdempotencyKey } {
  const { client_message_id: key, session_id, message, askuser_answer = null, mode = null, model = null } = request
  const { headless, output_schema } = request
  if (key === undefined) return {}
  // Absent fields are left out: receipts of messages without them are older than the fields.
  const attended = { ...(headless === true && { headless }), ...(output_schema && { output_schema }) }
  const sent = { session_id, message, askuser_answer, mode, model, ...attended }
  return { idempotency: { key, fingerprint: digest(canonicalJson(sent)) } }
}

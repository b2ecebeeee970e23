import type { AdmittedTurn, CallAnswer } from '@polylogue/engine'
import type { SessionProjection } from '../projection/session-projection.ts'
import { runIdOf } from '../projection/turn-ids.ts'
import { toCallAnswer } from './answer-question.ts'
import { toAnswerCalls, toStartTurn, type SendTarget } from './commands.ts'
import type { SendRequest } from '../schema/client-events.ts'
import type { BladeSocketDeps } from './deps.ts'
import { SocketRefusal } from './errors.ts'
import { findRepeated } from './find-repeated.ts'
import { toContent } from './message-content.ts'

export type SendDeps = Pick<BladeSocketDeps, 'engine' | 'agents' | 'digest' | 'attachFile'>

/** The answer to the sender. */
export interface Sent {
  readonly run_id: string
  readonly queued: boolean
  readonly position?: number
}

export interface MessageTarget extends SendTarget {
  /** The name of the session's agent. */
  readonly agent: string
}

export async function sendMessage(deps: SendDeps, target: MessageTarget, request: SendRequest): Promise<Sent> {
  const { engine } = deps
  // Do not store the files of a repeated message again.
  const before = hasFiles(request.message) ? await findRepeated(deps, target, request) : undefined
  const { turnId, queued } = before ?? (await startTurn(deps, target, request))
  const run_id = runIdOf(turnId)
  if (!queued) return { run_id, queued }
  return { run_id, queued, position: (await engine.readSession(target.userId, target.sessionId)).queued }
}

async function startTurn(
  { engine, agents, digest, attachFile }: SendDeps,
  target: MessageTarget,
  request: SendRequest,
): Promise<AdmittedTurn> {
  const { userId, sessionId } = target
  const agent = agents.find(target.agent)
  const content = await toContent(request.message, {
    digest,
    images: agent?.features.images ?? [],
    attachFile: attachFile && ((name, bytes) => attachFile({ userId, sessionId, name, bytes })),
  })
  try {
    const admitted = await engine.execute(toStartTurn(target, request, { ...content, agent, digest }))
    if (admitted.repeated) await content.discard()
    return admitted
  } catch (error) {
    await content.discard()
    throw error
  }
}

export interface AnswerTarget extends SendTarget {
  /** The session as its sender may have seen it. */
  readonly projection: SessionProjection | undefined
}

export async function sendAnswer(deps: SendDeps, target: AnswerTarget, request: SendRequest): Promise<Sent> {
  const { engine, digest } = deps
  const { projection } = target
  const answer = projection && toAnswer(projection, request)
  const taken = answer
    ? await engine.execute(toAnswerCalls(target, request, { answer, digest }))
    : await findRepeated(deps, target, request)
  if (taken === undefined) {
    throw new SocketRefusal('no_pending_question', 'no question with this id waits for an answer')
  }
  return { run_id: runIdOf(taken.turnId), queued: false }
}

/** Returns `undefined` when no question waits for it. */
function toAnswer(
  projection: SessionProjection,
  { askuser_answer, message, model }: SendRequest,
): CallAnswer | undefined {
  const open = askuser_answer && projection.question(askuser_answer.tool_call_id)
  if (askuser_answer === undefined || open === undefined) return undefined
  if (model !== undefined && !projection.turns.some((turn) => turn.model === model)) {
    throw new SocketRefusal('invalid_payload', 'model: must be the model that asked')
  }
  return toCallAnswer(open, askuser_answer, typeof message === 'string' ? message : textOfParts(message))
}

const hasFiles = (message: SendRequest['message']): boolean =>
  typeof message !== 'string' && message.some(({ type }) => type === 'file')

const textOfParts = (parts: Exclude<SendRequest['message'], string>): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('')

import type { SessionId, ToolCallId } from '@polylogue/engine'
import type { ClientAbilities } from '../client-abilities.ts'
import type { AcpProfile } from '../deps.ts'
import { isObject } from '../is-object.ts'
import { ASK_USER } from '../light/initialize-answer.ts'
import type { Announcement } from '../projection/shown-call.ts'
import { CODES, RpcError } from '../rpc/rpc-error.ts'
import type { RpcPeer } from '../rpc/rpc-peer.ts'
import { readPressed, toButtons } from './question-buttons.ts'
import { notBlank, readForm, toForm } from './question-form.ts'
import { choiceShownAs, spellOutQuestion, type Question } from './questions.ts'

export interface QuestionChannel {
  readonly peer: RpcPeer
  readonly sessionId: SessionId
  readonly toolCallId: ToolCallId
  readonly profile: AcpProfile
  readonly abilities: Pick<ClientAbilities, 'fillsForms' | 'asksUsers' | 'showsOptionNames'>
  /** Shared by the connection: whether the client answered that it does not know the extension. */
  readonly extension: { isUnknown: boolean }
  /** The announced call, which a permission request repeats. */
  readonly toolCall: Announcement
  /** Asks with a message, and waits for the next prompt. */
  askInWords(question: Question, signal: AbortSignal): Promise<string>
}

/**
 * Asks with what the client has: a form, the extension, buttons, and last a message that the next prompt answers. In
 * profile `seed`: only a form or the extension. `undefined`: the user gave no answer. Rejects with `RequestAbandoned`.
 */
export async function askQuestion(
  question: Question,
  channel: QuestionChannel,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { peer, profile, abilities, extension } = channel
  const request = async (method: string, params: object): Promise<{ readonly answer: unknown } | undefined> => {
    try {
      return { answer: await peer.request(method, params, { signal }) }
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      if (method === ASK_USER && error.code === CODES.methodNotFound) extension.isUnknown = true
      return undefined
    }
  }
  if (abilities.fillsForms) {
    const filled = await request('elicitation/create', toForm(question, channel))
    if (filled !== undefined) return readForm(filled.answer, question)
  } else if ((profile === 'seed' || abilities.asksUsers) && !extension.isUnknown) {
    const told = await request(ASK_USER, toAskUser(question, channel))
    const text = told && readAnswer(told.answer)
    if (told !== undefined) return text && choiceShownAs(text, question)
  }
  if (profile === 'seed') return undefined
  if (question.options.length > 0 && abilities.showsOptionNames) {
    const pressed = await request('session/request_permission', toButtons(question, channel))
    const result = pressed && readPressed(pressed.answer, question)
    if (result !== undefined && result.type !== 'in-words') return result.type === 'answer' ? result.text : undefined
  }
  return channel.askInWords(question, signal)
}

function toAskUser(asked: Question, { sessionId, profile }: QuestionChannel): object {
  const { question, header, options, isMultiple } = spellOutQuestion(asked)
  const labels = options.map(({ label }) => label)
  const hasDescriptions = profile === 'standard' && options.some(({ description }) => description !== undefined)
  return {
    sessionId,
    question,
    ...(header !== undefined && { header }),
    ...(options.length > 0 && { options: labels, multiple: isMultiple, allowCustom: true }),
    ...(hasDescriptions && { descriptions: options.map(({ description = '' }) => description) }),
  }
}

/** Accepts `{answer}` and `{outcome: 'answered', text}`. */
function readAnswer(answer: unknown): string | undefined {
  if (!isObject(answer)) return undefined
  if (answer['outcome'] === 'answered') return notBlank(answer['text'])
  return answer['outcome'] === undefined ? notBlank(answer['answer']) : undefined
}

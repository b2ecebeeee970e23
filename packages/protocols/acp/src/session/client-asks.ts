import {
  EngineError,
  type CallAnswer,
  type CoverOffer,
  type Engine,
  type EventOf,
  type LogEntry,
  type RecordedEvent,
  type SessionId,
  type ToolCallId,
  type TurnId,
  type UserId,
} from '@polylogue/engine'
import type { ClientAbilities } from '../client-abilities.ts'
import type { AcpProfile } from '../deps.ts'
import type { Announcement } from '../projection/shown-call.ts'
import { RpcError } from '../rpc/rpc-error.ts'
import type { RpcPeer } from '../rpc/rpc-peer.ts'
import { AskQueue, type Ask } from './ask-queue.ts'
import { askQuestion, type QuestionChannel } from './ask-question.ts'
import { readOutcome, toPermissionRequest, withAccess, type PermissionOutcome } from './permission-outcome.ts'
import { joinAnswers, questionsOf, unansweredIn, type Question } from './questions.ts'

const DECLINED = 'the user declined; do not try to do it another way'

export interface ClientAsksOptions {
  readonly engine: Engine
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly peer: RpcPeer
  readonly profile: AcpProfile
  readonly abilities: ClientAbilities
  readonly extension: { isUnknown: boolean }
  /** A malformed answer counts as a denial only in turns that this connection started. */
  isOwnTurn(turnId: TurnId): boolean
  openCall(toolCallId: ToolCallId): Announcement | undefined
  callForApproval(toolCallId: ToolCallId): Announcement | undefined
  /** Asks with a message, and resolves with the text of the next prompt. */
  askInWords(question: Question, call: AskedCall, signal: AbortSignal): Promise<string>
  log(entry: LogEntry): void
}

export interface AskedCall {
  readonly toolCallId: ToolCallId
  readonly turnId: TurnId
}

/** Asks this client about calls that wait for a human. The first answer wins, whichever door it comes from. */
export class ClientAsks {
  readonly #options: ClientAsksOptions
  readonly #approvals: AskQueue
  readonly #questions: AskQueue
  /** Calls that wait before the session is live, in order. */
  readonly #open = new Map<ToolCallId, { readonly queue: AskQueue; readonly ask: Ask }>()
  #isLive = false

  constructor(options: ClientAsksOptions) {
    this.#options = options
    this.#approvals = new AskQueue(options.log)
    // A separate queue: a client that never answers questions must still get its permission requests.
    this.#questions = new AskQueue(options.log)
  }

  recorded(event: RecordedEvent): void {
    switch (event.type) {
      case 'approval.requested': {
        const run = (signal: AbortSignal) => this.#askPermission(event, signal)
        return this.#add(this.#approvals, { toolCallId: event.toolCallId, run })
      }
      case 'step.answered':
        for (const block of event.blocks) {
          if (block.type !== 'tool-call' || event.routes[block.toolCallId] !== 'question') continue
          const { toolCallId } = block
          const run = (signal: AbortSignal) => this.#askQuestions(toolCallId, event.turnId, signal)
          this.#add(this.#questions, { toolCallId, run })
        }
        return
      case 'approval.resolved':
        this.#open.delete(event.toolCallId)
        return this.#approvals.settle(event.toolCallId)
      case 'tool-call.settled':
        this.#open.delete(event.toolCallId)
        this.#approvals.settle(event.toolCallId)
        return this.#questions.settle(event.toolCallId)
      default:
        return
    }
  }

  /** Whether a permission request is open. */
  get isAskingPermission(): boolean {
    return this.#approvals.isBusy
  }

  /** Starts asking, beginning with the calls that already wait. */
  goLive(): void {
    this.#isLive = true
    for (const { queue, ask } of this.#open.values()) queue.add(ask)
    this.#open.clear()
  }

  /** Withdraws all requests. The calls stay open for other clients. */
  stop(): void {
    this.#isLive = false
    this.#open.clear()
    this.#approvals.stop()
    this.#questions.stop()
  }

  #add(queue: AskQueue, ask: Ask): void {
    if (this.#isLive) queue.add(ask)
    else this.#open.set(ask.toolCallId, { queue, ask })
  }

  async #askPermission(event: EventOf<'approval.requested'>, signal: AbortSignal): Promise<void> {
    const { toolCallId, turnId, isCoverable = true } = event
    const { peer, sessionId, callForApproval } = this.#options
    const toolCall = callForApproval(toolCallId)
    if (toolCall === undefined) return
    const offers = this.#offersOf(event)
    const request = toPermissionRequest(sessionId, withAccess(toolCall, event), { isCoverable, offers })
    const outcome = await this.#outcomeOf(peer.request('session/request_permission', request, { signal }), offers)
    const answer = toAnswer(toolCallId, outcome, this.#options.isOwnTurn(turnId))
    if (answer === undefined) return
    // The profile of the seed allows the tool by its name.
    const isWhole = this.#options.profile === 'seed' && answer.type === 'approval' && answer.scope === 'session'
    await this.#answer(isWhole ? { ...answer, offer: 'tool' } : answer)
  }

  /** Only the narrowest for a client that does not show which is which. */
  #offersOf({ offers }: EventOf<'approval.requested'>): readonly CoverOffer[] | undefined {
    if (this.#options.profile === 'seed') return undefined
    return this.#options.abilities.showsOptionNames ? offers : offers?.slice(0, 1)
  }

  async #outcomeOf(answer: Promise<unknown>, offers: readonly CoverOffer[] = []): Promise<PermissionOutcome> {
    try {
      const outcome = readOutcome(await answer)
      const isOffered = typeof outcome !== 'object' || offers.some(({ id }) => id === outcome.always)
      return isOffered ? outcome : 'none'
    } catch (error) {
      if (error instanceof RpcError) return 'none'
      throw error
    }
  }

  async #askQuestions(toolCallId: ToolCallId, turnId: TurnId, signal: AbortSignal): Promise<void> {
    const { openCall, profile, isOwnTurn } = this.#options
    const toolCall = openCall(toolCallId)
    if (toolCall === undefined) return
    const questions = questionsOf(toolCall.rawInput)
    const channel: QuestionChannel = {
      ...this.#options,
      toolCallId,
      toolCall,
      askInWords: (question, withdrawn) => this.#options.askInWords(question, { toolCallId, turnId }, withdrawn),
    }
    const answers: string[] = []
    for (const question of questions) {
      // The prompt of an own turn may have ended with a question in words.
      const isOwn = isOwnTurn(turnId)
      const answer = await askQuestion(question, channel, signal)
      if (answer === undefined && !isOwn) return
      answers.push(answer ?? unansweredIn(profile))
    }
    await this.#answer({ type: 'result', toolCallId, content: joinAnswers(questions, answers) })
  }

  async #answer(answer: CallAnswer): Promise<void> {
    const { engine, userId, sessionId, log } = this.#options
    try {
      await engine.execute({ type: 'answer-calls', userId, sessionId, answers: [answer], whenRunning: 'accept' })
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      log({ level: 'info', message: 'a client answered after the call was decided', sessionId, code: error.code })
    }
  }
}

function toAnswer(toolCallId: ToolCallId, outcome: PermissionOutcome, isOwn: boolean): CallAnswer | undefined {
  if (typeof outcome === 'object') {
    return { type: 'approval', toolCallId, granted: true, scope: 'session', offer: outcome.always }
  }
  switch (outcome) {
    case 'allow':
      return { type: 'approval', toolCallId, granted: true, scope: 'once' }
    case 'always':
      return { type: 'approval', toolCallId, granted: true, scope: 'session' }
    case 'reject':
      return { type: 'approval', toolCallId, granted: false, reason: DECLINED }
    case 'none':
      return isOwn ? { type: 'approval', toolCallId, granted: false, reason: DECLINED } : undefined
  }
}

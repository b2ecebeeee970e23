import type { BlockDelta, Cursor } from '../events/live-event.ts'
import type { EventOf, Failure, Recorded, RecordedEvent } from '../events/recorded-event.ts'
import type { TurnOutcome } from '../events/turn-events.ts'
import type { ToolCallPart } from '../content.ts'
import { ROOT_LOOP, type TurnId } from '../ids.ts'
import type { SessionReader } from '../events/session-reader.ts'
import { CallVisibility } from './call-visibility.ts'
import { ChildCalls } from './child-calls.ts'

/** Why a segment is over. */
export type SegmentEnd =
  | { readonly type: 'waiting' }
  | { readonly type: 'ended'; readonly outcome: TurnOutcome; readonly error?: Failure | undefined }
  | { readonly type: 'deleted' }

/** Shows a segment: as deltas, as whole messages, or collected for one answer. */
export interface SegmentPresenter {
  segmentStarted(seq: number): void
  stepStarted(seq: number, step: EventOf<'step.started'>): void
  delta(delta: BlockDelta): void
  stepAnswered(seq: number, step: EventOf<'step.answered'>): void
  stepEnded(seq: number, step: EventOf<'step.ended'>): void
  /** Calls of sub-agents that begin to wait. */
  callsWaiting(seq: number, calls: readonly ToolCallPart[]): void
  callSettled(seq: number, call: EventOf<'tool-call.settled'>): void
  segmentEnded(seq: number, end: SegmentEnd): void
}

export interface SegmentOptions {
  readonly presenter: SegmentPresenter
  /** Show this turn only. */
  readonly turnId?: TurnId
  /** The client has seen the event at the cursor; it only tells where in a turn the reader stands. */
  readonly cursor?: Cursor
  /** Whether the first event belongs to a segment whose start is not shown again. */
  readonly isOpen?: boolean
  /** Called after each end of a segment. Returns whether to go on. */
  onEnd(): 'continue' | 'done'
  onClosed(reason: 'deleted' | 'stopping'): void
}

/**
 * Cuts a log into segments: from the start or resumption of a turn to its end, or to where it waits for a client. Nothing
 * is shown outside of a segment, so every start has its end.
 */
export class SegmentReader implements SessionReader {
  readonly #options: SegmentOptions
  readonly #presenter: SegmentPresenter
  readonly #calls = new CallVisibility()
  /** Most sessions never have a sub-agent. */
  #children: ChildCalls | undefined
  #turnId: TurnId | undefined
  #isOpen: boolean
  #isDone = false
  #lastSeq: number

  constructor(options: SegmentOptions) {
    this.#options = options
    this.#presenter = options.presenter
    this.#isOpen = options.isOpen ?? false
    this.#lastSeq = options.cursor?.seq ?? 0
  }

  /** Shows nothing more. */
  stop(): void {
    this.#isDone = true
  }

  delta(delta: BlockDelta): void {
    if (!this.#isOpen || this.#isDone || delta.loopId !== ROOT_LOOP || !this.#isCurrent(delta.turnId)) return
    this.#presenter.delta(delta)
  }

  recorded({ seq, event }: Recorded): void {
    if (this.#isDone) return
    const { cursor } = this.#options
    if (seq === cursor?.seq && !this.#takeBearings(seq, event, cursor)) return
    this.#lastSeq = seq
    this.#show(seq, event)
  }

  closed(reason: 'deleted' | 'stopping'): void {
    if (this.#isDone) return
    if (reason === 'deleted' && this.#isOpen) this.#presenter.segmentEnded(this.#lastSeq, { type: 'deleted' })
    this.#isDone = true
    this.#options.onClosed(reason)
  }

  /** Returns whether part of the event is still to be shown. */
  #takeBearings(seq: number, event: RecordedEvent, cursor: Cursor): boolean {
    this.#isOpen = 'turnId' in event && event.type !== 'turn.paused' && event.type !== 'turn.ended'
    if (this.#isOpen && 'turnId' in event) this.#turnId = event.turnId
    if (event.type !== 'step.started') return cursor.block !== undefined
    this.#show(seq, event)
    return false
  }

  #show(seq: number, event: RecordedEvent): void {
    if ('loopId' in event && event.loopId !== undefined && event.loopId !== ROOT_LOOP)
      return this.#showChild(seq, event)
    switch (event.type) {
      case 'turn.started':
      case 'turn.resumed':
        return this.#open(seq, event.turnId)
      case 'turn.paused':
        if (this.#isShown(event.turnId)) this.#close(seq, { type: 'waiting' })
        return
      case 'turn.ended':
        if (this.#isShown(event.turnId)) {
          this.#close(seq, { type: 'ended', outcome: event.outcome, error: event.error })
        }
        this.#calls.clear()
        this.#children = undefined
        return
      case 'step.started':
        if (event.loopId === ROOT_LOOP && this.#isShown(event.turnId)) this.#presenter.stepStarted(seq, event)
        return
      case 'step.answered':
        return this.#answered(seq, event)
      case 'step.ended':
        if (this.#isShown(event.turnId)) this.#presenter.stepEnded(seq, event)
        return
      case 'approval.requested':
      case 'approval.resolved':
      case 'tool-call.started':
        return this.#calls.concernsOwnTool(event.toolCallId)
      case 'tool-call.settled':
        if (this.#isShown(event.turnId) && this.#calls.isShown(event)) this.#presenter.callSettled(seq, event)
        return
      default:
        return
    }
  }

  /** Of a sub-agent, only calls that wait are shown. */
  #showChild(seq: number, event: RecordedEvent): void {
    this.#children ??= new ChildCalls()
    const waiting = this.#children.waitingIn(event)
    if (!('turnId' in event) || event.turnId === undefined || !this.#isShown(event.turnId)) return
    if (waiting.length > 0) this.#presenter.callsWaiting(seq, waiting)
    if (event.type === 'tool-call.settled' && this.#children.isShown(event) && event.by !== 'client')
      this.#presenter.callSettled(seq, event)
  }

  #answered(seq: number, event: EventOf<'step.answered'>): void {
    this.#calls.answered(event)
    if (this.#isShown(event.turnId)) this.#presenter.stepAnswered(seq, event)
  }

  #open(seq: number, turnId: TurnId): void {
    const { turnId: wanted } = this.#options
    if (wanted !== undefined && wanted !== turnId) return
    this.#turnId = turnId
    this.#isOpen = true
    this.#presenter.segmentStarted(seq)
  }

  #close(seq: number, end: SegmentEnd): void {
    this.#isOpen = false
    this.#presenter.segmentEnded(seq, end)
    if (this.#options.onEnd() === 'done') this.#isDone = true
  }

  #isShown(turnId: TurnId): boolean {
    return this.#isOpen && this.#isCurrent(turnId)
  }

  /** A reader that starts in the middle takes the first turn it meets. */
  #isCurrent(turnId: TurnId): boolean {
    this.#turnId ??= turnId
    return this.#turnId === turnId
  }
}

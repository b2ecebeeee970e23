import {
  ROOT_LOOP,
  type BlockDelta,
  type Recorded,
  type RecordedEvent,
  type SessionReader,
  type ToolCallPart,
  type TurnId,
} from '@polylogue/engine'
import { CallVisibility } from './call-visibility.ts'
import { ChildCalls } from './child-calls.ts'
import { DELETED, WAITING, toTurnStop } from './turn-stop.ts'
import type { EventCursor } from './cursors.ts'
import type { TurnStop } from './wire.ts'

export type EventOf<Type extends RecordedEvent['type']> = Extract<RecordedEvent, { type: Type }>

/** How a segment is told: as deltas, as whole messages, or collected for one answer. */
export interface SegmentPresenter {
  turnStarted(seq: number): void
  stepStarted(seq: number, step: EventOf<'step.started'>): void
  delta(delta: BlockDelta): void
  stepAnswered(seq: number, step: EventOf<'step.answered'>): void
  stepEnded(seq: number, step: EventOf<'step.ended'>): void
  /** Calls of sub-agents that wait for somebody. */
  callsWaiting(seq: number, calls: readonly ToolCallPart[]): void
  callSettled(seq: number, call: EventOf<'tool-call.settled'>): void
  turnStopped(seq: number, stop: TurnStop): void
}

export interface SegmentOptions {
  readonly presenter: SegmentPresenter
  /** Tell this turn only. */
  readonly turnId?: TurnId
  /** The event at the cursor was seen before; it only tells where in a turn the reader stands. */
  readonly cursor?: EventCursor
  /** Whether the first event belongs to a segment whose start is not told again. */
  readonly isOpen?: boolean
  /** After each `turn_stop`. Answers whether to go on. */
  onStop(): 'continue' | 'done'
  onClosed(reason: 'deleted' | 'stopping'): void
}

/**
 * A segment is what this wire calls a turn: from the start of a turn, or its resumption, to its end or its wait for
 * the client. Nothing is told outside of one, so every `turn_start` has its `turn_stop`.
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

  /** Nothing is told any more. */
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
    this.#tell(seq, event)
  }

  closed(reason: 'deleted' | 'stopping'): void {
    if (this.#isDone) return
    if (reason === 'deleted' && this.#isOpen) this.#presenter.turnStopped(this.#lastSeq, DELETED)
    this.#isDone = true
    this.#options.onClosed(reason)
  }

  /** Answers whether part of the event is still to be told. */
  #takeBearings(seq: number, event: RecordedEvent, cursor: EventCursor): boolean {
    this.#isOpen = 'turnId' in event && event.type !== 'turn.paused' && event.type !== 'turn.ended'
    if (this.#isOpen && 'turnId' in event) this.#turnId = event.turnId
    if (event.type !== 'step.started') return cursor.within !== undefined
    this.#tell(seq, event)
    return false
  }

  #tell(seq: number, event: RecordedEvent): void {
    if ('loopId' in event && event.loopId !== undefined && event.loopId !== ROOT_LOOP)
      return this.#tellChild(seq, event)
    switch (event.type) {
      case 'turn.started':
      case 'turn.resumed':
        return this.#open(seq, event.turnId)
      case 'turn.paused':
        if (this.#isTold(event.turnId)) this.#close(seq, WAITING)
        return
      case 'turn.ended':
        if (this.#isTold(event.turnId)) this.#close(seq, toTurnStop(event.outcome, event.error))
        this.#calls.clear()
        this.#children = undefined
        return
      case 'step.started':
        if (event.loopId === ROOT_LOOP && this.#isTold(event.turnId)) this.#presenter.stepStarted(seq, event)
        return
      case 'step.answered':
        return this.#answered(seq, event)
      case 'step.ended':
        if (this.#isTold(event.turnId)) this.#presenter.stepEnded(seq, event)
        return
      case 'approval.requested':
      case 'approval.resolved':
      case 'tool-call.started':
        return this.#calls.concernsOwnTool(event.toolCallId)
      case 'tool-call.settled':
        if (this.#isTold(event.turnId) && this.#calls.isShown(event)) this.#presenter.callSettled(seq, event)
        return
      default:
        return
    }
  }

  /** Of a sub-agent, only what waits for somebody is told. */
  #tellChild(seq: number, event: RecordedEvent): void {
    this.#children ??= new ChildCalls()
    const waiting = this.#children.waitingIn(event)
    if (!('turnId' in event) || event.turnId === undefined || !this.#isTold(event.turnId)) return
    if (waiting.length > 0) this.#presenter.callsWaiting(seq, waiting)
    if (event.type === 'tool-call.settled' && this.#children.isShown(event) && event.by !== 'client')
      this.#presenter.callSettled(seq, event)
  }

  #answered(seq: number, event: EventOf<'step.answered'>): void {
    this.#calls.answered(event)
    if (this.#isTold(event.turnId)) this.#presenter.stepAnswered(seq, event)
  }

  #open(seq: number, turnId: TurnId): void {
    const { turnId: wanted } = this.#options
    if (wanted !== undefined && wanted !== turnId) return
    this.#turnId = turnId
    this.#isOpen = true
    this.#presenter.turnStarted(seq)
  }

  #close(seq: number, stop: TurnStop): void {
    this.#isOpen = false
    this.#presenter.turnStopped(seq, stop)
    if (this.#options.onStop() === 'done') this.#isDone = true
  }

  #isTold(turnId: TurnId): boolean {
    return this.#isOpen && this.#isCurrent(turnId)
  }

  /** A reader that came in the middle takes the first turn it meets. */
  #isCurrent(turnId: TurnId): boolean {
    this.#turnId ??= turnId
    return this.#turnId === turnId
  }
}

import type { BlockDelta, Cursor } from '../events/live-event.ts'
import type { ToolCallSettled } from '../events/call-events.ts'
import type { EventOf, Failure, Recorded, RecordedEvent } from '../events/recorded-event.ts'
import type { TurnOutcome } from '../events/turn-events.ts'
import { ROOT_LOOP, type TurnId } from '../ids.ts'
import type { SessionReader } from '../events/session-reader.ts'
import { ShownCalls, type ShownCall, type ShownPause, type ShownResult } from './shown-calls.ts'

/** Why a segment has ended. */
export type SegmentEnd =
  | { readonly type: 'waiting' }
  | { readonly type: 'ended'; readonly outcome: TurnOutcome; readonly error?: Failure | undefined }
  | { readonly type: 'deleted' }

/** Shows a segment as deltas, as whole messages, or as one collected answer. */
export interface SegmentPresenter {
  segmentStarted(seq: number): void
  stepStarted(seq: number, step: EventOf<'step.started'>): void
  delta(delta: BlockDelta): void
  stepAnswered(seq: number, step: EventOf<'step.answered'>): void
  stepEnded(seq: number, step: EventOf<'step.ended'>): void
  /** Shows waiting calls, at the end of the newest assistant message or as a new one. */
  callsWaiting(calls: readonly ShownCall[], isSameMessage: boolean): void
  callSettled(at: Cursor, call: ToolCallSettled): void
  segmentEnded(seq: number, end: SegmentEnd): void
}

export interface SegmentOptions {
  readonly presenter: SegmentPresenter
  /** Show only this turn. */
  readonly turnId?: TurnId
  /** The client has seen the event at the cursor. It only determines the reader's position in a turn. */
  readonly cursor?: Cursor
  /** Whether the first event belongs to a segment whose start was already shown. */
  readonly isOpen?: boolean
  /** Called at the end of each segment. Returns whether to continue. */
  onEnd(): 'continue' | 'done'
  onClosed(reason: 'deleted' | 'stopping'): void
}

/**
 * Splits a log into segments: from the start or resumption of a turn to its end, or to the point where it waits for a
 * client. Nothing is shown outside a segment, so every start has an end.
 */
export class SegmentReader implements SessionReader {
  readonly #options: SegmentOptions
  readonly #presenter: SegmentPresenter
  readonly #calls = new ShownCalls()
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

  /** Stops showing anything. */
  stop(): void {
    this.#isDone = true
  }

  delta(delta: BlockDelta): void {
    if (!this.#isOpen || this.#isDone || delta.loopId !== ROOT_LOOP || !this.#isCurrent(delta.turnId)) return
    this.#presenter.delta(delta)
  }

  recorded(recorded: Recorded): void {
    if (this.#isDone) return
    const { seq, event } = recorded
    const { cursor } = this.#options
    this.#lastSeq = seq
    if (seq === cursor?.seq && this.#takeBearings(event, cursor)) this.#fold(recorded)
    else this.#show(recorded)
  }

  closed(reason: 'deleted' | 'stopping'): void {
    if (this.#isDone) return
    if (reason === 'deleted' && this.#isOpen) this.#presenter.segmentEnded(this.#lastSeq, { type: 'deleted' })
    this.#isDone = true
    this.#options.onClosed(reason)
  }

  /** Returns whether the client has seen all of the event. */
  #takeBearings(event: RecordedEvent, { block, offset = 0 }: Cursor): boolean {
    const isPartly = block !== undefined
    this.#isOpen = 'turnId' in event && event.type !== 'turn.ended' && (event.type !== 'turn.paused' || isPartly)
    if (this.#isOpen && 'turnId' in event) this.#turnId = event.turnId
    switch (event.type) {
      case 'step.started':
        return false
      case 'step.answered':
        if (isChildEvent(event) || !isPartly) return true
        // Items after the blocks are numbered from 1.
        if (block !== event.blocks.length || offset === 0) return false
        this.#calls.skip(offset)
        return true
      case 'turn.paused':
        return !isPartly
      default:
        return true
    }
  }

  #show(recorded: Recorded): void {
    const { seq, event } = recorded
    if (isChildEvent(event)) return this.#showResults(event, this.#foldChild(recorded))
    switch (event.type) {
      case 'turn.started':
      case 'turn.resumed':
        this.#fold(recorded)
        return this.#open(seq, event.turnId)
      case 'turn.paused':
        return this.#showPause(seq, event.turnId, this.#calls.paused({ ...recorded, event }))
      case 'turn.ended':
        this.#fold(recorded)
        if (this.#isShown(event.turnId)) this.#close(seq, { type: 'ended', outcome: event.outcome, error: event.error })
        return
      case 'step.started':
        if (this.#isShown(event.turnId)) this.#presenter.stepStarted(seq, event)
        return
      case 'step.answered':
        this.#fold(recorded)
        if (this.#isShown(event.turnId)) this.#presenter.stepAnswered(seq, event)
        return
      case 'step.ended':
        if (this.#isShown(event.turnId)) this.#presenter.stepEnded(seq, event)
        return
      case 'tool-call.settled':
        return this.#showResults(event, this.#calls.settled({ ...recorded, event }, false))
      default:
        return this.#fold(recorded)
    }
  }

  /** Updates the state for an event that is not shown or was already shown. */
  #fold(recorded: Recorded): void {
    const { event } = recorded
    if (isChildEvent(event)) return void this.#foldChild(recorded)
    switch (event.type) {
      case 'turn.started':
        return this.#calls.segmentStarted()
      case 'turn.resumed':
        return this.#calls.segmentStarted(event)
      case 'turn.paused':
        return void this.#calls.paused({ ...recorded, event })
      case 'turn.ended':
        return this.#calls.turnEnded()
      case 'step.answered':
        return this.#calls.stepAnswered({ ...recorded, event })
      case 'approval.requested':
        return this.#calls.approvalRequested(event.toolCallId)
      case 'tool-call.settled':
        return void this.#calls.settled({ ...recorded, event }, false)
      default:
        return
    }
  }

  #foldChild(recorded: Recorded): readonly ShownResult[] {
    const { event } = recorded
    if (event.type === 'tool-call.settled') return this.#calls.settled({ ...recorded, event }, true)
    this.#calls.childDid(event)
    return []
  }

  #showPause(seq: number, turnId: TurnId, { calls, isSameMessage, results }: ShownPause): void {
    if (!this.#isShown(turnId)) return
    const { cursor } = this.#options
    const seen = seq === cursor?.seq && cursor.block !== undefined ? cursor.block + 1 : 0
    const unseen = calls.slice(seen)
    if (unseen.length > 0) this.#presenter.callsWaiting(unseen, isSameMessage)
    for (const { at, result } of results) this.#showResult(at, result)
    this.#close(seq, { type: 'waiting' })
  }

  #showResults(event: RecordedEvent, results: readonly ShownResult[]): void {
    if (!('turnId' in event) || event.turnId === undefined || !this.#isShown(event.turnId)) return
    for (const { at, result } of results) this.#showResult(at, result)
  }

  /** A client already knows the results that it sent itself. */
  #showResult(at: Cursor, result: ToolCallSettled): void {
    if (result.by !== 'client') this.#presenter.callSettled(at, result)
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

  /** A reader that starts in the middle follows the first turn that it sees. */
  #isCurrent(turnId: TurnId): boolean {
    this.#turnId ??= turnId
    return this.#turnId === turnId
  }
}

function isChildEvent(event: RecordedEvent): boolean {
  return 'loopId' in event && event.loopId !== undefined && event.loopId !== ROOT_LOOP
}

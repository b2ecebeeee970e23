import type { StepBlock } from '../content.ts'
import type {
  BlockDelta,
  CallInput,
  Cursor,
  LiveBatch,
  LiveEvent,
  StepRetry,
  ToolProgress,
} from '../events/live-event.ts'
import type { Recorded } from '../events/recorded-event.ts'
import type { EntryId, LoopId, ToolCallId, TurnId } from '../ids.ts'
import type { SessionReader } from '../events/session-reader.ts'
import { LiveBatches, type BatchStart } from './live-batches.ts'
import type { Clock } from '../ports/clock.ts'

/** Text of a runner in another process, which has numbered its batches. */
interface SharedText {
  readonly type: 'shared'
  readonly delta: BlockDelta | LiveBatch
}

/** How many of the newest events are kept in memory, so that a reader of the current turn needs no query. */
const RECENT_EVENTS = 64
/** How much output of a running tool a late reader gets, in UTF-16 units. */
const OUTPUT_KEPT = 65_536

/** The newest output of a running tool, and how much there was in all. */
interface Output {
  readonly text: string
  readonly end: number
}

/** A step that is streaming, with its text so far. */
export interface LiveStep {
  readonly turnId: TurnId
  readonly loopId: LoopId
  readonly stepId: EntryId
  readonly stepSeq: number
  readonly blocks: StepBlock[]
  /** The calls that the model has begun to write, with their input so far. */
  readonly inputs: BegunCall[]
}

export interface BegunCall {
  /** The model's id for it. */
  readonly modelId: string
  readonly toolCallId: ToolCallId
  readonly name: string
  text: string
  isComplete: boolean
}

export interface BatchNumbering {
  readonly clock: Clock
  /** The numbers that are used so far. */
  start(): BatchStart
}

/**
 * The only output of a session: recorded events and deltas leave through it in one order. Deltas wait while an append
 * is in progress, so that no reader gets a delta before an event that was recorded earlier.
 */
export class SessionFeed {
  readonly liveSteps = new Map<EntryId, LiveStep>()
  readonly #outputs = new Map<ToolCallId, Output>()
  readonly #readers = new Set<SessionReader>()
  readonly #numbering: BatchNumbering | undefined
  /** Created for the first reader that wants batches. */
  #batches: LiveBatches | undefined
  #batchReaders = 0
  #isAlwaysNumbered = false
  #recent: Recorded[] = []
  #holds = 0
  #held: (LiveEvent | SharedText)[] = []
  #closed: 'deleted' | 'stopping' | undefined
  #released: (() => void)[] = []
  #joined: PromiseWithResolvers<void> | undefined

  /** Without a numbering there are no batches. */
  constructor(numbering?: BatchNumbering) {
    this.#numbering = numbering
  }

  get readerCount(): number {
    return this.#readers.size
  }

  get isHeld(): boolean {
    return this.#holds > 0
  }

  /** The batches of this session, while somebody may read them. */
  get batches(): LiveBatches | undefined {
    if (this.#isAlwaysNumbered) this.#batches ??= this.#makeBatches()
    return this.#isNumbering ? this.#batches : undefined
  }

  get #isNumbering(): boolean {
    return this.#isAlwaysNumbered || this.#batchReaders > 0
  }

  /** Numbers all text from now on, because other processes may have readers for batches. */
  numberAlways(): void {
    this.#isAlwaysNumbered = true
  }

  /** The batch number that the end of a step records. All text of the step has been sent. */
  closeBatches(recorded: number): { readonly liveBatches?: number } {
    this.batches?.flush()
    const count = this.#batches?.count ?? 0
    return count > recorded ? { liveBatches: count } : {}
  }

  /** Marks the start of an append. Every `hold` needs one `release`. */
  hold(): void {
    this.#holds++
  }

  /** Marks the end of an append: sends the recorded events, then the deltas that waited. */
  release(recorded: readonly Recorded[]): void {
    this.publish(recorded)
    if (--this.#holds > 0) return
    const held = this.#held
    this.#held = []
    for (const delta of held) this.#deliver(delta)
    const released = this.#released
    this.#released = []
    for (const resume of released) resume()
  }

  publish(recorded: readonly Recorded[]): void {
    if (recorded.length === 0) return
    this.#recent.push(...recorded)
    if (this.#recent.length > RECENT_EVENTS * 2) this.#recent = this.#recent.slice(-RECENT_EVENTS)
    for (const { event } of recorded) {
      // Must happen here, not in the runner: a reader that joins in between would get the text after the answer.
      if (event.type === 'step.started') this.#batches?.reserve(event.reservedBatches ?? 0)
      if (event.type === 'step.answered' || event.type === 'step.ended') {
        this.liveSteps.delete(event.stepId)
        this.#batches?.end(event.stepId)
        this.#batches?.skipTo(event.liveBatches ?? 0)
      }
      // Each run of a call starts with an event.
      if (event.type === 'tool-call.started' || event.type === 'tool-call.settled') {
        this.#outputs.delete(event.toolCallId)
      }
    }
    for (const reader of this.#readers) {
      for (const item of recorded) if (this.#readers.has(reader)) reader.recorded(item)
    }
  }

  publishDelta(delta: BlockDelta): void {
    if (this.#holds > 0) this.#held.push(delta)
    else this.#deliver(delta)
  }

  /** Text that a runner in another process streams. */
  publishShared(delta: BlockDelta | LiveBatch): void {
    const shared = { type: 'shared', delta } as const
    if (this.#holds > 0) this.#held.push(shared)
    else this.#deliver(shared)
  }

  publishInput(input: CallInput | StepRetry): void {
    if (this.#holds > 0) this.#held.push(input)
    else this.#deliver(input)
  }

  /** What a call that runs here prints. */
  publishOutput(toolCallId: ToolCallId, text: string): void {
    this.publishProgress({ type: 'tool-call.progress', toolCallId, offset: this.outputEnd(toolCallId), text })
  }

  /** Contract: `offset` is not less than `outputEnd`. What is between them is missing. */
  publishProgress(progress: ToolProgress): void {
    const { toolCallId, offset, text } = progress
    const known = this.#outputs.get(toolCallId)
    const before = known?.end === offset ? known.text : ''
    this.#outputs.set(toolCallId, { text: `${before}${text}`.slice(-OUTPUT_KEPT), end: offset + text.length })
    if (this.#holds > 0) this.#held.push(progress)
    else this.#deliver(progress)
  }

  /** What a running call has shown so far: its last part, if there was much. */
  outputOf(toolCallId: ToolCallId): string {
    return this.#outputs.get(toolCallId)?.text ?? ''
  }

  /** How much a running call has shown so far. */
  outputEnd(toolCallId: ToolCallId): number {
    return this.#outputs.get(toolCallId)?.end ?? 0
  }

  /** Whether memory holds all events after `seq`. */
  reaches(seq: number, lastSeq: number): boolean {
    if (seq >= lastSeq) return true
    const first = this.#recent[0]
    return first !== undefined && first.seq <= seq + 1
  }

  /** Resolves when no append is in progress. */
  async settled(): Promise<void> {
    while (this.#holds > 0) await new Promise<void>((resume) => this.#released.push(resume))
  }

  /**
   * Contract: called when nothing is held and `reaches(after.seq)` is true. Delivers the events in memory, then stays
   * attached.
   */
  join(reader: SessionReader, after: number, cursor: Cursor): void {
    for (const item of this.#recent) if (item.seq > after) reader.recorded(item)
    if (reader.batch !== undefined && this.#closed === undefined) this.#beginBatches()
    for (const step of this.liveSteps.values()) {
      const unsent = reader.batch && this.#batches?.unsentOf(step.stepId)
      for (const delta of deltasAfter(step, cursor, unsent)) reader.delta(delta)
      for (const call of step.inputs) if (!call.isComplete) reader.input?.(toCallInput(step, call, 0))
    }
    for (const [toolCallId, { text, end }] of this.#outputs) {
      reader.progress?.({ type: 'tool-call.progress', toolCallId, offset: end - text.length, text })
    }
    if (this.#closed === undefined) this.#add(reader)
    else reader.closed(this.#closed)
  }

  /** Resolves when the next reader joins. */
  joined(): Promise<void> {
    this.#joined ??= Promise.withResolvers()
    return this.#joined.promise
  }

  leave(reader: SessionReader): void {
    if (!this.#readers.delete(reader) || reader.batch === undefined) return
    if (--this.#batchReaders === 0 && !this.#isAlwaysNumbered) this.#batches?.rest()
  }

  #add(reader: SessionReader): void {
    this.#readers.add(reader)
    this.#joined?.resolve()
    this.#joined = undefined
    if (reader.batch !== undefined) this.#batchReaders++
  }

  /** Flushes buffered deltas to current readers. A new reader gets them as part of the text so far. */
  #beginBatches(): void {
    this.#batches ??= this.#makeBatches()
    this.#batches?.flush()
  }

  #makeBatches(): LiveBatches | undefined {
    if (this.#numbering === undefined) return undefined
    return new LiveBatches(this.#numbering.clock, this.#numbering.start(), (batch: LiveBatch) => {
      for (const reader of this.#readers) reader.batch?.(batch)
    })
  }

  close(reason: 'deleted' | 'stopping'): void {
    this.#closed = reason
    const readers = [...this.#readers]
    this.#readers.clear()
    this.#batchReaders = 0
    this.#batches?.rest()
    for (const reader of readers) reader.closed(reason)
  }

  #deliver(live: LiveEvent | SharedText): void {
    switch (live.type) {
      case 'shared':
        return this.#deliverShared(live.delta)
      case 'tool-call.progress':
        for (const reader of this.#readers) reader.progress?.(live)
        return
      case 'tool-call.input':
        for (const reader of this.#readers) reader.input?.(live)
        return
      case 'step.retrying':
        for (const reader of this.#readers) reader.retrying?.(live)
        return
      default:
        this.#deliverDelta(live)
    }
  }

  /** Text that the runner has only saved takes the next number: the runner has reserved it, and uses at least as many. */
  #deliverShared(delta: BlockDelta | LiveBatch): void {
    const number = 'number' in delta ? delta.number : (this.batches?.count ?? 0) + 1
    this.batches?.skipTo(number)
    for (const reader of this.#readers) {
      if (reader.batch === undefined) reader.delta(delta)
      else reader.batch({ ...delta, number })
    }
  }

  #deliverDelta(live: BlockDelta): void {
    // A runner that another process has replaced may not know yet that its step has ended.
    if (this.#isAlwaysNumbered && !this.liveSteps.has(live.stepId)) return
    if (!this.#isNumbering) {
      for (const reader of this.#readers) reader.delta(live)
      return
    }
    for (const reader of this.#readers) if (reader.batch === undefined) reader.delta(live)
    this.batches?.add(live)
  }
}

/** The text of a step so far as deltas, without the part that the cursor covers. */
function deltasAfter(
  step: LiveStep,
  cursor: Cursor,
  unsent?: { readonly block: number; readonly offset: number },
): readonly BlockDelta[] {
  const isInStep = cursor.seq >= step.stepSeq && cursor.block !== undefined
  return step.blocks.flatMap((block, index) => {
    if (block.type === 'tool-call') return []
    if (isInStep && index < (cursor.block ?? 0)) return []
    const offset = isInStep && index === cursor.block ? Math.min(cursor.offset ?? 0, block.text.length) : 0
    if (unsent !== undefined && index > unsent.block) return []
    const text = block.text.slice(offset, index === unsent?.block ? unsent.offset : undefined)
    if (text === '') return []
    const { turnId, loopId, stepId, stepSeq } = step
    return [{ type: `${block.type}.delta` as const, turnId, loopId, stepId, stepSeq, block: index, offset, text }]
  })
}

/** The input of a call from `offset` on. */
export function toCallInput(step: LiveStep, { toolCallId, name, text }: BegunCall, offset: number): CallInput {
  const { turnId, loopId, stepId } = step
  return { type: 'tool-call.input', turnId, loopId, stepId, toolCallId, name, offset, text: text.slice(offset) }
}

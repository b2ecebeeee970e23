import type { StepBlock } from '../content.ts'
import type { BlockDelta, Cursor, LiveBatch, ToolProgress } from '../events/live-event.ts'
import type { Recorded } from '../events/recorded-event.ts'
import type { EntryId, LoopId, ToolCallId, TurnId } from '../ids.ts'
import type { SessionReader } from '../events/session-reader.ts'
import { LiveBatches, type BatchStart } from './live-batches.ts'
import type { Clock } from '../ports/clock.ts'

/** How many of the newest events are kept at hand, so that a reader that comes for its own turn needs no query. */
const RECENT_EVENTS = 64
/** How much of a running tool's output a late reader gets, in UTF-16 units. */
const OUTPUT_KEPT = 65_536

/** A step that is streaming now, with the text it has so far. */
export interface LiveStep {
  readonly turnId: TurnId
  readonly loopId: LoopId
  readonly stepId: EntryId
  readonly stepSeq: number
  readonly blocks: StepBlock[]
}

export interface BatchNumbering {
  readonly clock: Clock
  /** The numbers that are taken at this moment. */
  start(): BatchStart
}

/**
 * The one way out of a session: recorded events and deltas leave through it in one order. While an append is under way
 * deltas wait behind it, so that no reader meets a delta before an event that was recorded first.
 */
export class SessionFeed {
  readonly liveSteps = new Map<EntryId, LiveStep>()
  /** The newest output of running tools. */
  readonly #outputs = new Map<ToolCallId, string>()
  readonly #readers = new Set<SessionReader>()
  readonly #numbering: BatchNumbering | undefined
  /** Made when the first reader comes that wants them. */
  #batches: LiveBatches | undefined
  #batchReaders = 0
  #recent: Recorded[] = []
  #holds = 0
  #held: (BlockDelta | ToolProgress)[] = []
  #closed: 'deleted' | 'stopping' | undefined
  #released: (() => void)[] = []

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

  /** The batches of this session, while somebody reads them. */
  get batches(): LiveBatches | undefined {
    return this.#batchReaders > 0 ? this.#batches : undefined
  }

  /** What a step's end records of the batches before it; all its text has gone out. */
  closeBatches(recorded: number): { readonly liveBatches?: number } {
    this.batches?.flush()
    const count = this.#batches?.count ?? 0
    return count > recorded ? { liveBatches: count } : {}
  }

  /** An append begins. Every `hold` is matched by one `release`. */
  hold(): void {
    this.#holds++
  }

  /** An append has ended: what it recorded goes out, then the deltas that waited. */
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
      // Here and not when its runner gets round to it: whoever joins in between would get the text after the answer.
      if (event.type === 'step.started') this.#batches?.reserve(event.reservedBatches ?? 0)
      if (event.type === 'step.answered' || event.type === 'step.ended') {
        this.liveSteps.delete(event.stepId)
        this.#batches?.end(event.stepId)
        this.#batches?.skipTo(event.liveBatches ?? 0)
      }
      if (event.type === 'tool-call.settled') this.#outputs.delete(event.toolCallId)
    }
    for (const reader of this.#readers) {
      for (const item of recorded) if (this.#readers.has(reader)) reader.recorded(item)
    }
  }

  publishDelta(delta: BlockDelta): void {
    if (this.#holds > 0) this.#held.push(delta)
    else this.#deliver(delta)
  }

  publishProgress(progress: ToolProgress): void {
    const { toolCallId, text } = progress
    this.#outputs.set(toolCallId, `${this.#outputs.get(toolCallId) ?? ''}${text}`.slice(-OUTPUT_KEPT))
    if (this.#holds > 0) this.#held.push(progress)
    else this.#deliver(progress)
  }

  /** Whether everything after `seq` can be had from memory. */
  reaches(seq: number, lastSeq: number): boolean {
    if (seq >= lastSeq) return true
    const first = this.#recent[0]
    return first !== undefined && first.seq <= seq + 1
  }

  /** Resolves when no append is under way. */
  async settled(): Promise<void> {
    while (this.#holds > 0) await new Promise<void>((resume) => this.#released.push(resume))
  }

  /** Contract: called when nothing is held and `reaches(after.seq)`. Delivers what is at hand, then stays attached. */
  join(reader: SessionReader, after: number, cursor: Cursor): void {
    for (const item of this.#recent) if (item.seq > after) reader.recorded(item)
    if (reader.batch !== undefined && this.#closed === undefined) this.#beginBatches()
    for (const step of this.liveSteps.values()) {
      const unsent = reader.batch && this.#batches?.unsentOf(step.stepId)
      for (const delta of deltasAfter(step, cursor, unsent)) reader.delta(delta)
    }
    for (const [toolCallId, text] of this.#outputs) reader.progress?.({ type: 'tool-call.progress', toolCallId, text })
    if (this.#closed === undefined) this.#add(reader)
    else reader.closed(this.#closed)
  }

  leave(reader: SessionReader): void {
    if (!this.#readers.delete(reader) || reader.batch === undefined) return
    if (--this.#batchReaders === 0) this.#batches?.rest()
  }

  #add(reader: SessionReader): void {
    this.#readers.add(reader)
    if (reader.batch !== undefined) this.#batchReaders++
  }

  /** What waits goes to those who are there already; whoever comes gets it with the text so far. */
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

  #deliver(live: BlockDelta | ToolProgress): void {
    if (live.type === 'tool-call.progress') {
      for (const reader of this.#readers) reader.progress?.(live)
      return
    }
    if (this.#batchReaders === 0) {
      for (const reader of this.#readers) reader.delta(live)
      return
    }
    for (const reader of this.#readers) if (reader.batch === undefined) reader.delta(live)
    this.#batches?.add(live)
  }
}

/** The text a step has so far, as deltas, less what the cursor says the reader has. */
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

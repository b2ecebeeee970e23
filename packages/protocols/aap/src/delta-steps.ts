import type { BlockDelta, Cursor, EntryId, EventOf, StepBlock } from '@polylogue/engine'
import type { FrameSink } from '@polylogue/kit'
import { deltaFrame, eventFrame, wholeDeltaFrame } from './frames.ts'
import { itemsAfter, sendItems, toolCallItems, type StepItem, type StepPresenter } from './stream-presenter.ts'

export interface DeltaStepsOptions {
  readonly sink: FrameSink
  readonly cursor?: Cursor
  /** The client has seen text, or part of an answer, that was lost. */
  onLost(): void
}

type TextBlock = Exclude<StepBlock, { type: 'tool-call' }>

/**
 * Sends text as it comes. The recorded step then supplies whatever a reader missed, so the text is whole even if every
 * delta was lost.
 */
export class DeltaSteps implements StepPresenter {
  readonly #options: DeltaStepsOptions
  /** How much of each block was sent, in UTF-16 units. */
  readonly #sent = new Map<number, number>()
  #stepSeq: number | undefined
  #settledStep: EntryId | undefined
  #hasGap = false
  #sawDelta = false

  constructor(options: DeltaStepsOptions) {
    this.#options = options
  }

  started(seq: number): void {
    this.#begin(seq)
  }

  delta(delta: BlockDelta): void {
    const { type, text, stepSeq, stepId, block, offset } = delta
    if (stepId === this.#settledStep) return
    if (stepSeq !== this.#stepSeq) this.#begin(stepSeq)
    this.#sawDelta = true
    const sent = this.#sentOf(block)
    const end = offset + text.length
    // Later text must not overtake earlier text: after a gap the rest waits for the recorded step.
    if (offset > sent) this.#hasGap = true
    const isNew = end > sent && !this.#hasGap
    this.#sent.set(block, isNew ? end : sent)
    if (!isNew) return
    this.#options.sink.send(
      offset === sent
        ? wholeDeltaFrame(delta)
        : deltaFrame({ type, text: text.slice(sent - offset), stepSeq, block, offset: sent }),
    )
  }

  answered(seq: number, step: EventOf<'step.answered'>): void {
    const { sink, cursor, onLost } = this.#options
    const texts = textItems(step.blocks)
    this.#settledStep = step.stepId
    if (seq === cursor?.seq && cursor.block !== undefined) {
      const items = itemsAfter([...texts, ...toolCallItems(step)], cursor.block)
      return items === undefined ? onLost() : sendItems(sink, seq, items)
    }
    if (this.#isResumed() && !survives(step.blocks[cursor?.block ?? 0], cursor?.offset ?? 0)) return onLost()
    if (this.#stepSeq === undefined) return sendItems(sink, seq, [...texts, ...toolCallItems(step)])
    for (const [index, block] of step.blocks.entries()) this.#sendRest(block, index, this.#sentOf(index))
    this.#stepSeq = undefined
    sendItems(sink, seq, toolCallItems(step))
  }

  ended(seq: number, step: EventOf<'step.ended'>): void {
    const { sink, onLost } = this.#options
    const isSettled = step.stepId === this.#settledStep
    this.#settledStep = step.stepId
    if (isSettled) return
    const { partial = [] } = step
    if (this.#stepSeq === undefined) return sendItems(sink, seq, textItems(partial))
    // An unfinished step keeps no calls, so its blocks have new numbers. Their order is the same.
    const blocks = [...this.#sent].toSorted(([a], [b]) => a - b)
    if (this.#isResumed() && !this.#survivesIn(partial, blocks)) return onLost()
    if (!this.#isResumed() && !blocks.every(([, sent], index) => survives(partial[index], sent))) {
      // The runner died on another node, and what it had said last was saved nowhere.
      sink.send(eventFrame(`${this.#stepSeq - 1}`, { event: 'resync' }))
      this.#stepSeq = undefined
      return sendItems(sink, seq, textItems(partial))
    }
    for (const [index, part] of partial.entries()) {
      const [block, sent] = blocks[index] ?? [index, 0]
      this.#sendRest(part, block, sent)
    }
    this.#stepSeq = undefined
  }

  #begin(stepSeq: number): void {
    this.#stepSeq = stepSeq
    this.#hasGap = false
    this.#sawDelta = false
    this.#sent.clear()
    const { block, offset = 0 } = this.#options.cursor ?? {}
    if (this.#isResumed() && block !== undefined) this.#sent.set(block, offset)
  }

  /** Whether the client's cursor lies within this step. */
  #isResumed(): boolean {
    const { cursor } = this.#options
    return this.#stepSeq !== undefined && this.#stepSeq === cursor?.seq && cursor.block !== undefined
  }

  #sentOf(block: number): number {
    const sent = this.#sent.get(block)
    if (sent !== undefined) return sent
    return this.#isResumed() && block < (this.#options.cursor?.block ?? 0) ? Infinity : 0
  }

  /** Whether everything the client has seen was kept. Unless the blocks were seen to arrive, only the first is certain. */
  #survivesIn(partial: readonly StepBlock[], blocks: readonly (readonly [block: number, sent: number])[]): boolean {
    if (!this.#sawDelta && this.#options.cursor?.block !== 0) return false
    return blocks.every(([, sent], index) => survives(partial[index], sent === Infinity ? 0 : sent))
  }

  #sendRest(block: StepBlock, index: number, sent: number): void {
    if (this.#stepSeq === undefined || block.type === 'tool-call' || block.text.length <= sent) return
    const { type } = block
    const rest = { text: block.text.slice(sent), offset: sent }
    this.#options.sink.send(deltaFrame({ type: `${type}.delta`, ...rest, stepSeq: this.#stepSeq, block: index }))
  }
}

function textItems(blocks: readonly StepBlock[]): StepItem[] {
  return blocks.flatMap((block, index) =>
    block.type === 'tool-call' || block.text === '' ? [] : [toItem(block, index)],
  )
}

function toItem({ type, text }: TextBlock, block: number): StepItem {
  const event = type === 'text' ? 'text_delta' : 'thinking_delta'
  return { block, event: { event, delta: text } }
}

function survives(block: StepBlock | undefined, offset: number): boolean {
  return block !== undefined && block.type !== 'tool-call' && offset <= block.text.length
}

import type { Cursor, EventOf, StepBlock } from '@polylogue/engine'
import type { FrameSink } from '@polylogue/kit'
import { itemsAfter, sendItems, toolCallItems, type StepItem, type StepPresenter } from './stream-presenter.ts'

export interface MessageStepsOptions {
  readonly sink: FrameSink
  readonly cursor?: Cursor
  /** The client's cursor points to an item that does not exist. */
  onLost(): void
}

/** One `text` and one `thinking` per assistant message, in the order in which the model began them. */
export class MessageSteps implements StepPresenter {
  readonly #options: MessageStepsOptions

  constructor(options: MessageStepsOptions) {
    this.#options = options
  }

  started(): void {
    // A message is sent when it is complete.
  }

  delta(): void {
    // Likewise.
  }

  answered(seq: number, step: EventOf<'step.answered'>): void {
    const { sink, cursor, onLost } = this.#options
    const all = [...wholeTexts(step.blocks), ...toolCallItems(step)]
    const items = seq === cursor?.seq && cursor.block !== undefined ? itemsAfter(all, cursor.block) : all
    if (items === undefined) onLost()
    else sendItems(sink, seq, items)
  }

  ended(seq: number, { partial = [] }: EventOf<'step.ended'>): void {
    sendItems(this.#options.sink, seq, wholeTexts(partial.filter((block) => block.type === 'text')))
  }
}

function wholeTexts(blocks: readonly StepBlock[]): StepItem[] {
  const joined = new Map<'text' | 'thinking', { block: number; text: string }>()
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'tool-call' || block.text === '') continue
    const earlier = joined.get(block.type)
    joined.set(block.type, { block: earlier?.block ?? index, text: (earlier?.text ?? '') + block.text })
  }
  return [...joined].map(([type, { block, text }]) =>
    type === 'text'
      ? { block, event: { event: 'text', text } }
      : { block, event: { event: 'thinking', thinking: text } },
  )
}

import type { BlockDelta, LiveBatch, Recorded, SessionReader } from '@polylogue/engine'

/** A reader that notices at once when what it gets cannot be right. */
export class CheckedReader implements SessionReader {
  readonly problems: string[] = []
  readonly types: string[] = []
  isClosed = false
  #seq = 0
  #number = 0
  readonly #texts = new Map<string, string>()
  readonly batch?: (batch: LiveBatch) => void

  constructor(wants: 'batches' | 'deltas') {
    if (wants === 'batches') this.batch = (batch) => this.#checkBatch(batch)
  }

  recorded({ seq, event }: Recorded): void {
    if (seq !== this.#seq + 1) this.problems.push(`event ${seq} follows event ${this.#seq}`)
    this.#seq = seq
    this.types.push(event.type)
    if (event.type !== 'step.answered') return
    event.blocks.forEach((block, index) => {
      const shown = this.#texts.get(`${event.stepId} ${index}`) ?? ''
      if (block.type === 'text' && !block.text.startsWith(shown)) {
        this.problems.push(`the answer "${block.text}" does not begin with the text that was shown: "${shown}"`)
      }
    })
  }

  delta(delta: BlockDelta): void {
    const key = `${delta.stepId} ${delta.block}`
    const shown = this.#texts.get(key) ?? ''
    if (delta.offset !== shown.length) this.problems.push(`text at ${delta.offset} follows ${shown.length} characters`)
    if (delta.stepSeq > this.#seq) this.problems.push(`text of a step that begins at ${delta.stepSeq} comes before it`)
    this.#texts.set(key, shown + delta.text)
  }

  #checkBatch(batch: LiveBatch): void {
    if (batch.number <= this.#number) this.problems.push(`batch ${batch.number} follows batch ${this.#number}`)
    this.#number = batch.number
    this.delta(batch)
  }

  closed(): void {
    this.isClosed = true
  }
}

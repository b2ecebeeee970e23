import type { Draft, Fence } from '../ports/event-store.ts'
import type { Timer } from '../ports/clock.ts'
import type { OpenSession } from '../session/open-session.ts'
import type { LiveStep } from '../session/session-feed.ts'
import type { EngineParts } from '../engine-parts.ts'

interface DraftParts extends Pick<EngineParts, 'store' | 'clock' | 'log'> {
  readonly session: Pick<OpenSession, 'id' | 'feed'>
  readonly fence: Fence
}

/** A crash loses at most this much of a streaming answer. Shorter intervals only add commits. */
const DRAFT_INTERVAL_MS = 250

/** Saves the text of a streaming step at intervals. Never slows the stream down. */
export class DraftWriter {
  readonly #parts: DraftParts
  readonly #step: LiveStep
  readonly #dirty = new Set<number>()
  #timer: Timer | undefined
  #isClosed = false

  constructor(parts: DraftParts, step: LiveStep) {
    this.#parts = parts
    this.#step = step
  }

  touch(block: number): void {
    this.#dirty.add(block)
    if (this.#timer === undefined && !this.#isClosed) {
      this.#timer = this.#parts.clock.setTimer(DRAFT_INTERVAL_MS, () => {
        this.#timer = undefined
        void this.flush()
      })
    }
  }

  /** Saves changed blocks. A failed save is only logged, because the next one includes the same text. */
  async flush(): Promise<void> {
    const { session, fence, store, log } = this.#parts
    const { id, feed } = session
    const { batches } = feed
    const reserved = batches && { reservedBatches: batches.wanted }
    const drafts = [...this.#dirty].flatMap((index): Draft[] => {
      const block = this.#step.blocks[index]
      if (block === undefined || block.type === 'tool-call') return []
      return [{ stepId: this.#step.stepId, block: index, kind: block.type, text: block.text, ...reserved }]
    })
    this.#dirty.clear()
    if (drafts.length === 0) return
    try {
      const isSaved = await store.saveDrafts(id, fence, drafts)
      if (isSaved && reserved !== undefined) batches?.reserve(reserved.reservedBatches)
    } catch (error) {
      for (const { block } of drafts) this.#dirty.add(block)
      log({ level: 'warn', message: 'draft not saved', sessionId: id, error })
    }
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
    this.#timer = undefined
  }
}

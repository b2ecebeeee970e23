import type { Recorded } from '../events/recorded-event.ts'
import { ROOT_LOOP, type LoopId, type SessionId } from '../ids.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { SessionState } from '../state/session-state.ts'
import { ModelContext } from '../views/model-context.ts'

const PAGE = 500

/** A loop and its start position in the log. */
export interface LoopStart {
  readonly loopId: LoopId
  readonly startSeq?: number
}

export const ROOT: LoopStart = { loopId: ROOT_LOOP }

/** The model contexts of one session that are in memory. */
export class LoopContexts {
  readonly #store: Pick<EventStore, 'readEvents'>
  readonly #sessionId: SessionId
  readonly #contexts = new Map<LoopId, ModelContext>()

  constructor(store: Pick<EventStore, 'readEvents'>, sessionId: SessionId) {
    this.#store = store
    this.#sessionId = sessionId
  }

  /** The context of a loop if memory holds it, up to date with the state. */
  find(loopId: LoopId, { seq }: Pick<SessionState, 'seq'>): ModelContext | undefined {
    const context = this.#contexts.get(loopId)
    return context?.seq === seq ? context : undefined
  }

  /** Reads the missing part of the log. `stateNow` is asked after each page, because commits may add to the log. */
  async load({ loopId, startSeq = 1 }: LoopStart, stateNow: () => Pick<SessionState, 'seq'>): Promise<ModelContext> {
    const context = this.#contexts.get(loopId) ?? new ModelContext(loopId, startSeq - 1)
    for (let isMore = context.seq < stateNow().seq; isMore;) {
      const page = await this.#store.readEvents(this.#sessionId, context.seq, PAGE)
      for (const recorded of page) if (recorded.seq > context.seq) context.apply(recorded)
      isMore = page.length > 0 && context.seq < stateNow().seq
    }
    this.#contexts.set(loopId, context)
    return context
  }

  /** Adds stored events to the contexts that know everything before them. Drops the contexts of ended loops. */
  apply(recorded: readonly Recorded[]): void {
    const before = (recorded[0]?.seq ?? 0) - 1
    for (const [loopId, context] of this.#contexts) {
      if (context.seq === before) for (const item of recorded) context.apply(item)
      if (context.isOver) this.#contexts.delete(loopId)
    }
  }
}

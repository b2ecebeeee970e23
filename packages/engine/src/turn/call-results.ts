import { EngineError } from '../errors.ts'
import type { ToolCallSettled } from '../events/call-events.ts'
import { failpoint } from '../failpoint.ts'
import type { NewBlob } from '../ports/event-store.ts'
import { stepEndIfSettled } from '../session/decide-answers.ts'
import { findOpenCall } from '../state/session-state.ts'
import { beginStep } from './begin-step.ts'
import type { LoopPlace } from './loop-place.ts'
import { offerOutside, type StoppedCall } from './offer-outside.ts'
import type { RunDeps } from './turn-deps.ts'

export interface CallResult {
  readonly settled: ToolCallSettled
  readonly blobs: readonly NewBlob[]
  /** The sandbox stopped the call. */
  readonly stopped?: StoppedCall
}

export interface CallResultsOptions {
  readonly place: LoopPlace
  /** The number of calls that run, including those whose result waits here. */
  unfinished(): number
}

/**
 * Records the results of a loop's calls. Results that arrive in the same turn of the event loop, or while the session
 * commits something else, share one commit. A result never waits for a slower call.
 */
export class CallResults {
  readonly #options: CallResultsOptions
  readonly #deps: RunDeps
  #waiting: CallResult[] = []
  #next: Promise<void> | undefined

  constructor(options: CallResultsOptions, deps: RunDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Resolves when the result is recorded, or when its call was settled by somebody else. */
  record(result: CallResult): Promise<void> {
    this.#waiting.push(result)
    this.#next ??= this.#recordWaiting()
    return this.#next
  }

  async #recordWaiting(): Promise<void> {
    if (this.#options.unfinished() > this.#waiting.length) await this.#deps.giveWay?.()
    await failpoint('results.gathered')
    let taken: readonly CallResult[] | undefined
    const take = (): readonly CallResult[] => {
      if (taken !== undefined) return taken
      this.#next = undefined
      return (taken = this.#waiting.splice(0))
    }
    try {
      await this.#commit(take)
    } catch (error) {
      // One result that is too large must not take the others with it.
      const isFull = error instanceof EngineError && error.code === 'quota-exceeded'
      const results = take()
      if (!isFull || results.length < 2) throw error
      for (const result of results) await this.#commit(() => [result])
    }
  }

  async #commit(take: () => readonly CallResult[]): Promise<void> {
    const { session, fence, signal } = this.#deps
    const { loopId } = this.#options.place
    await session.commit((state) => {
      const { turn } = state
      const open = take().filter(({ settled }) => turn && findOpenCall(turn, settled.toolCallId) !== undefined)
      if (turn === undefined || open.length === 0) return { events: [] }
      const told = open.map(({ settled, stopped }) => (stopped && offerOutside(state, stopped, this.#deps)) ?? settled)
      const added = told.filter((event) => event.type === 'tool-call.settled')
      const ended = stepEndIfSettled(turn, added, loopId)
      const isLast = ended.length > 0 && !signal.aborted
      return {
        blobs: open.flatMap(({ blobs }) => blobs),
        events: [...told, ...ended],
        ...(isLast && { follow: (after) => beginStep(after, { parts: this.#deps, session, loopId, added }) }),
      }
    }, fence)
  }
}

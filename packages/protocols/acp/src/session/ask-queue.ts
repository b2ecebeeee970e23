import type { LogEntry, ToolCallId } from '@polylogue/engine'
import { RequestAbandoned } from '../rpc/rpc-error.ts'

export interface Ask {
  readonly toolCallId: ToolCallId
  /** Asks the client and executes its answer. May reject with `RequestAbandoned`. */
  run(signal: AbortSignal): Promise<void>
}

/** Sends one request at a time. Withdraws a request that was answered elsewhere. */
export class AskQueue {
  readonly #log: (entry: LogEntry) => void
  #waiting: Ask[] = []
  #current: { readonly ask: Ask; readonly cancel: AbortController } | undefined

  constructor(log: (entry: LogEntry) => void) {
    this.#log = log
  }

  get isBusy(): boolean {
    return this.#current !== undefined
  }

  add(ask: Ask): void {
    // A call may be asked about again after its request was withdrawn, because the permissions may have changed.
    const current = this.#current?.cancel.signal.aborted === false ? [this.#current.ask] : []
    if ([...current, ...this.#waiting].some(({ toolCallId }) => toolCallId === ask.toolCallId)) return
    this.#waiting.push(ask)
    if (this.#current === undefined) void this.#next()
  }

  settle(toolCallId: ToolCallId): void {
    this.#waiting = this.#waiting.filter((ask) => ask.toolCallId !== toolCallId)
    if (this.#current?.ask.toolCallId === toolCallId) this.#current.cancel.abort()
  }

  /** Withdraws the current request and drops the others. */
  stop(): void {
    this.#waiting = []
    this.#current?.cancel.abort()
  }

  async #next(): Promise<void> {
    for (let ask = this.#waiting.shift(); ask !== undefined; ask = this.#waiting.shift()) {
      const cancel = new AbortController()
      this.#current = { ask, cancel }
      try {
        await ask.run(cancel.signal)
      } catch (error) {
        if (!(error instanceof RequestAbandoned)) {
          this.#log({ level: 'error', message: 'a request to a client failed', toolCallId: ask.toolCallId, error })
        }
      }
      this.#current = undefined
    }
  }
}

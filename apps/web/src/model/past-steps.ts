/** The steps of a slider through the past. Only one state is read at a time, and only the newest wish waits meanwhile. */
import type { ConsoleClient } from '@polylogue/client/console'
import type { Notifier } from './notifier.ts'
import { completePast, readPast, readPastSpent, type PastSession } from './past-session.ts'

/** A slider that stands still for so long shows the rest. */
const REST_MS = 150

export interface PastStepsOptions {
  readonly id: string
  readonly notifier: Notifier
  readonly api: () => Promise<ConsoleClient>
  readonly shown: (past: PastSession) => void
  readonly failed: (error: unknown) => void
}

export class PastSteps {
  readonly #options: PastStepsOptions
  #wanted: number | undefined
  #past: PastSession | undefined
  #isReading = false
  #isClosed = false
  #rest: ReturnType<typeof setTimeout> | undefined

  constructor(options: PastStepsOptions) {
    this.#options = options
  }

  want(seq: number): void {
    clearTimeout(this.#rest)
    this.#wanted = seq
    if (!this.#isReading) void this.#readWanted()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#rest)
  }

  async #readWanted(): Promise<void> {
    const { id, notifier, failed } = this.#options
    this.#isReading = true
    try {
      while (this.#wanted !== undefined && !this.#isClosed) {
        const seq = this.#wanted
        this.#wanted = undefined
        this.#show(await readPast({ id, seq, before: this.#past }, notifier))
      }
      this.#rest = setTimeout(() => void this.#complete(), REST_MS)
    } catch (error) {
      if (!this.#isClosed) failed(error)
    } finally {
      this.#isReading = false
    }
  }

  /** Rows do not wait for it, and guests may not read what was spent. */
  async #complete(): Promise<void> {
    const past = this.#past
    if (past === undefined || this.#isClosed) return
    const whole = await completePast(past).catch(() => past)
    if (this.#past !== past) return
    this.#show(whole)
    const spent = await readPastSpent(await this.#options.api(), whole).catch(() => undefined)
    if (spent !== undefined && this.#past === whole) this.#show({ ...whole, head: { spent } })
  }

  #show(past: PastSession): void {
    if (this.#isClosed) return
    this.#past = past
    this.#options.shown(past)
  }
}

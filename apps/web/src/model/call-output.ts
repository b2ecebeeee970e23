/** What running calls print, as far as it is kept: the end of it. */
import { isObject } from './http.ts'
import type { Notifier } from './notifier.ts'

const MOST_KEPT = 256 * 1024

export const outputKey = (sessionId: string, call: string): string => `output:${sessionId}:${call}`

export class CallOutput {
  readonly #sessionId: string
  readonly #notifier: Notifier
  readonly #texts = new Map<string, string>()
  #source: EventSource | undefined

  constructor(sessionId: string, notifier: Notifier) {
    this.#sessionId = sessionId
    this.#notifier = notifier
  }

  textOf(call: string): string {
    return this.#texts.get(call) ?? ''
  }

  /** While calls run. The browser opens a lost stream again by itself. */
  open(): void {
    if (this.#source !== undefined) return
    const source = new EventSource(`/api/polylogue/sessions/${this.#sessionId}/progress`)
    source.addEventListener('open', () => this.#forget())
    source.addEventListener('progress', (event: MessageEvent<string>) => this.#take(event.data))
    this.#source = source
  }

  /** The results of the calls hold everything. */
  close(): void {
    this.#source?.close()
    this.#source = undefined
    this.#forget()
  }

  /** A new stream begins with what was printed before it. */
  #forget(): void {
    const calls = [...this.#texts.keys()]
    this.#texts.clear()
    for (const call of calls) this.#notifier.changed(outputKey(this.#sessionId, call))
  }

  #take(data: string): void {
    const told: unknown = JSON.parse(data)
    if (!isObject(told) || typeof told['call'] !== 'string' || typeof told['text'] !== 'string') return
    const { call, text } = told
    this.#texts.set(call, `${this.textOf(call)}${text}`.slice(-MOST_KEPT))
    this.#notifier.changed(outputKey(this.#sessionId, call))
  }
}

import type { RecordedEvent, TurnId } from '@polylogue/engine'
import { RequestAbandoned } from '../rpc/rpc-error.ts'

export interface AwaitedWordsOptions {
  /** Whether another request to this client is open. */
  isAsking(): boolean
  /** Ends the prompt of this turn: its answer comes with the next prompt. */
  endPrompt(turnId: TurnId): void
}

interface Wanted {
  readonly turnId: TurnId
  give(text: string): void
}

/**
 * A question that was asked with a message. Clients send no prompt while one is open. So the open prompt is answered as
 * soon as nothing else of its turn is running, and the next prompt of the client is the answer to the question.
 */
export class AwaitedWords {
  readonly #options: AwaitedWordsOptions
  #wanted: Wanted | undefined
  #pausedTurn: TurnId | undefined

  constructor(options: AwaitedWordsOptions) {
    this.#options = options
  }

  /** Resolves with the text of the next prompt. Rejects with `RequestAbandoned` when the question is withdrawn. */
  wait(turnId: TurnId, signal: AbortSignal): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const withdraw = (): void => {
      this.#wanted = undefined
      reject(new RequestAbandoned('the question was withdrawn'))
    }
    if (signal.aborted) withdraw()
    else {
      signal.addEventListener('abort', withdraw, { once: true })
      this.#wanted = { turnId, give: resolve }
      this.#endPrompt()
    }
    return promise.finally(() => signal.removeEventListener('abort', withdraw))
  }

  /** Takes a prompt as the answer. Returns the turn that continues, or `undefined` if no question is open. */
  take(text: string): TurnId | undefined {
    const wanted = this.#wanted
    if (wanted === undefined || text.trim() === '') return undefined
    this.#wanted = undefined
    wanted.give(text)
    return wanted.turnId
  }

  recorded(event: RecordedEvent): void {
    if (event.type === 'turn.paused') this.#pausedTurn = event.turnId
    if (event.type === 'turn.resumed' || event.type === 'turn.started') this.#pausedTurn = undefined
    this.#endPrompt()
  }

  #endPrompt(): void {
    const turnId = this.#wanted?.turnId
    if (turnId === undefined || turnId !== this.#pausedTurn || this.#options.isAsking()) return
    this.#options.endPrompt(turnId)
  }
}

/** When running calls began: as this page saw it, or else as the server recorded it. */
import type { BladeOutput } from '@polylogue/client/blade'
import type { ConsoleClient } from '@polylogue/client/console'

type PatchOutput = Extract<BladeOutput, { event: 'turn:patch' }>['payload']

export interface CallStartsDeps {
  readonly api: () => Promise<ConsoleClient>
  /** Guests may not read what is recorded about a call. */
  readonly mayRead: () => boolean
  readonly now?: () => number
}

export class CallStarts {
  readonly #sessionId: string
  readonly #deps: CallStartsDeps
  readonly #times = new Map<string, number>()

  constructor(sessionId: string, deps: CallStartsDeps) {
    this.#sessionId = sessionId
    this.#deps = deps
  }

  /** In epoch milliseconds, if it is known here. */
  of(call: string): number | undefined {
    return this.#times.get(call)
  }

  /** To be called when the patch arrives. */
  saw({ patch_type, data }: PatchOutput): void {
    if (patch_type === 'add_tool_call') this.#turned(data.id, data.status)
    // With a reference, the call's sub-agent waits or continues. The call itself began before.
    if (patch_type === 'set_tool_status' && data.pending_question_ref === undefined)
      this.#turned(data.tool_call_id, data.status)
  }

  /** Asks the server. Nothing if the call has not begun, or may not be read. */
  async read(call: string): Promise<number | undefined> {
    if (!this.#deps.mayRead()) return undefined
    try {
      const { startedAt } = await (await this.#deps.api()).readCall({ id: this.#sessionId, call })
      if (startedAt !== undefined && !this.#times.has(call)) this.#times.set(call, startedAt)
    } catch {
      // The link tells of a server that is away, and the call is shown without a clock.
      return undefined
    }
    return this.of(call)
  }

  #turned(call: string, status: string): void {
    if (status !== 'pending') this.#times.delete(call)
    else if (!this.#times.has(call)) this.#times.set(call, (this.#deps.now ?? Date.now)())
  }
}

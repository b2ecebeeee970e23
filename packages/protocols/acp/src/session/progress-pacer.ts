import type { Clock, Timer, ToolCallId } from '@polylogue/engine'
import type { AcpProfile } from '../deps.ts'

const PROGRESS_MS = 100
const SHOWN_LENGTH = 64 * 1024

interface Output {
  /** Profile `standard` sends the whole visible output, profile `seed` only the new part. */
  text: string
  isDirty: boolean
  timer: Timer | undefined
}

export interface ProgressPacerOptions {
  readonly clock: Clock
  readonly profile: AcpProfile
  tell(toolCallId: ToolCallId, text: string): void
}

/** Sends the output of running tools at most ten times a second: its tail, or in profile seed the new part. */
export class ProgressPacer {
  readonly #options: ProgressPacerOptions
  readonly #outputs = new Map<ToolCallId, Output>()

  constructor(options: ProgressPacerOptions) {
    this.#options = options
  }

  push(toolCallId: ToolCallId, text: string): void {
    const output = this.#outputs.get(toolCallId) ?? { text: '', isDirty: false, timer: undefined }
    this.#outputs.set(toolCallId, output)
    output.text = lastPart(output.text + text)
    output.isDirty = true
    if (output.timer === undefined) this.#tellAndWait(toolCallId, output)
  }

  /** The result replaces the output. In profile seed clients append, so the rest is sent first. */
  settle(toolCallId: ToolCallId): void {
    const output = this.#outputs.get(toolCallId)
    if (output === undefined) return
    output.timer?.cancel()
    this.#outputs.delete(toolCallId)
    if (this.#options.profile === 'seed' && output.isDirty) this.#options.tell(toolCallId, output.text)
  }

  stop(): void {
    for (const { timer } of this.#outputs.values()) timer?.cancel()
    this.#outputs.clear()
  }

  #tellAndWait(toolCallId: ToolCallId, output: Output): void {
    output.timer = undefined
    if (!output.isDirty) return
    output.isDirty = false
    this.#options.tell(toolCallId, output.text)
    if (this.#options.profile === 'seed') output.text = ''
    output.timer = this.#options.clock.setTimer(PROGRESS_MS, () => this.#tellAndWait(toolCallId, output))
  }
}

/** Never splits a surrogate pair. */
function lastPart(text: string): string {
  return text.length <= SHOWN_LENGTH ? text : text.slice(-SHOWN_LENGTH).replace(/^[\udc00-\udfff]/, '')
}

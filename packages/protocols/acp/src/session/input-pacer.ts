import type { CallInput, Clock, EntryId, LoopId, Timer, ToolCallId } from '@polylogue/engine'

const INPUT_MS = 100
/** Longer inputs are sent less often, so that all updates of a call together stay within a few times its length. */
const GROWTH = 1.25
const SHORT = 2_048

interface Written {
  readonly toolCallId: ToolCallId
  readonly name: string
  readonly stepId: EntryId
  readonly loopId: LoopId
  text: string
  toldLength: number
  timer: Timer | undefined
}

export type WrittenCall = Pick<Written, 'toolCallId' | 'name' | 'stepId' | 'loopId' | 'text'>

/** Sends the inputs of calls while the model writes them: the first piece at once, later ones together. */
export class InputPacer {
  readonly #clock: Clock
  readonly #tell: (call: WrittenCall) => void
  readonly #calls = new Map<ToolCallId, Written>()

  constructor(clock: Clock, tell: (call: WrittenCall) => void) {
    this.#clock = clock
    this.#tell = tell
  }

  push({ toolCallId, name, stepId, loopId, offset, text }: CallInput): void {
    const known = this.#calls.get(toolCallId)
    const call = known ?? { toolCallId, name, stepId, loopId, text: '', toldLength: 0, timer: undefined }
    call.text = call.text.slice(0, offset) + text
    if (known === undefined) {
      this.#calls.set(toolCallId, call)
      this.#tell(call)
    }
    call.timer ??= this.#clock.setTimer(INPUT_MS, () => this.#tellMore(call))
  }

  /** The step has its answer, or is asked again. */
  end(stepId: EntryId): void {
    for (const [toolCallId, call] of this.#calls) {
      if (call.stepId !== stepId) continue
      call.timer?.cancel()
      this.#calls.delete(toolCallId)
    }
  }

  stop(): void {
    for (const { timer } of this.#calls.values()) timer?.cancel()
    this.#calls.clear()
  }

  #tellMore(call: Written): void {
    call.timer = undefined
    const { length } = call.text
    if (length === call.toldLength || (length > SHORT && length < call.toldLength * GROWTH)) return
    call.toldLength = length
    this.#tell(call)
  }
}

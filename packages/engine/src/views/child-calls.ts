import type { ToolCallPart } from '../content.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'
import type { ToolCallId } from '../ids.ts'

type Settled = Extract<RecordedEvent, { type: 'tool-call.settled' }>

/** The calls of sub-agents, as far as a client is shown them: those that had to wait for somebody. */
export class ChildCalls {
  readonly #calls = new Map<ToolCallId, ToolCallPart>()
  readonly #shown = new Set<ToolCallId>()

  /** The calls that begin to wait with this event. */
  waitingIn(event: RecordedEvent): readonly ToolCallPart[] {
    if (event.type === 'step.answered') {
      const calls = event.blocks.filter((block) => block.type === 'tool-call')
      for (const call of calls) this.#calls.set(call.toolCallId, call)
      const routeOf = (call: ToolCallPart) => event.routes[call.toolCallId]
      return this.#show(calls.filter((call) => routeOf(call) === 'client' || routeOf(call) === 'question'))
    }
    if (event.type === 'approval.requested') {
      const call = this.#calls.get(event.toolCallId)
      return call === undefined ? [] : this.#show([call])
    }
    // Who comes after it was shown learns from the answer that it was.
    if (event.type === 'approval.resolved') this.#shown.add(event.toolCallId)
    return []
  }

  isShown({ toolCallId }: Settled): boolean {
    return this.#shown.has(toolCallId)
  }

  #show(calls: readonly ToolCallPart[]): readonly ToolCallPart[] {
    const fresh = calls.filter(({ toolCallId }) => !this.#shown.has(toolCallId))
    for (const { toolCallId } of fresh) this.#shown.add(toolCallId)
    return fresh
  }
}

import type { RecordedEvent } from '../events/recorded-event.ts'
import type { ToolCallId } from '../ids.ts'

type Settled = Extract<RecordedEvent, { type: 'tool-call.settled' }>
type Answered = Extract<RecordedEvent, { type: 'step.answered' }>

/**
 * Which results a client is shown: those of the agent's own tools that the client did not give itself, and those of
 * calls that were called off, because a client takes a call without a result for one that waits. A reader that comes
 * in the middle of a turn has not seen who settles a call; then the events about the call tell.
 */
export class CallVisibility {
  readonly #settledHere = new Map<ToolCallId, boolean>()

  answered({ blocks, routes }: Answered): void {
    for (const block of blocks) {
      if (block.type !== 'tool-call') continue
      const route = routes[block.toolCallId]
      this.#settledHere.set(block.toolCallId, route === 'server' || route === 'agent')
    }
  }

  /** Only the agent's own tools are asked for, approved and run. */
  concernsOwnTool(toolCallId: ToolCallId): void {
    if (!this.#settledHere.has(toolCallId)) this.#settledHere.set(toolCallId, true)
  }

  isShown({ toolCallId, by, status }: Settled): boolean {
    if (by === 'client') return false
    if (status === 'cancelled') return true
    // A denial that nobody approved or refused as such is a client's refusal to run its own tool.
    return this.#settledHere.get(toolCallId) ?? status !== 'denied'
  }

  clear(): void {
    this.#settledHere.clear()
  }
}

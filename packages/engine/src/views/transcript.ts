import type { ConversationMessage, UserContent } from '../content.ts'
import type { ToolCallSettled } from '../events/call-events.ts'
import type { Recorded } from '../events/recorded-event.ts'
import type { EntryId } from '../ids.ts'
import { ShownCalls, type ShownPause, type ShownResult } from './shown-calls.ts'

/**
 * The complete conversation of a session in order: seed, inputs, answers, results, and interrupted text. The work of
 * sub-agents is private, except for calls that a client had to answer. The messages are equal to those that a client
 * collects from its requests and their answers.
 */
export class Transcript {
  readonly #messages: ConversationMessage[] = []
  readonly #inputs = new Map<EntryId, UserContent>()
  readonly #calls = new ShownCalls()

  messages(): readonly ConversationMessage[] {
    return [...this.#messages, ...this.#calls.held.map(toMessage)]
  }

  /** Removes and returns the messages that no further event changes: all but the last one. */
  takeFinal(): readonly ConversationMessage[] {
    return this.#messages.splice(0, Math.max(0, this.#messages.length - 1))
  }

  apply(recorded: Recorded): void {
    const { event } = recorded
    if ('loopId' in event && event.loopId !== undefined && event.type !== 'step.started') {
      if (event.type === 'tool-call.settled') this.#addResults(this.#calls.settled({ ...recorded, event }, true))
      else this.#calls.childDid(event)
      return
    }
    switch (event.type) {
      case 'session.seeded':
        this.#messages.push(...event.messages)
        break
      case 'input.admitted':
      case 'input.changed':
        this.#inputs.set(event.inputId, event.content)
        break
      case 'input.dropped':
        this.#inputs.delete(event.inputId)
        break
      case 'turn.started':
        this.#calls.segmentStarted()
        this.#addInput(event.inputId)
        break
      case 'turn.resumed':
        this.#calls.segmentStarted(event)
        break
      case 'turn.paused':
        this.#addPause(this.#calls.paused({ ...recorded, event }))
        break
      case 'turn.ended':
        this.#calls.turnEnded()
        break
      case 'step.answered':
        if (event.blocks.length > 0) this.#messages.push({ role: 'assistant', content: event.blocks })
        this.#calls.stepAnswered({ ...recorded, event })
        break
      case 'step.ended': {
        const text = event.partial?.filter((block) => block.type === 'text') ?? []
        if (text.length > 0) this.#messages.push({ role: 'assistant', content: text })
        break
      }
      case 'approval.requested':
        this.#calls.approvalRequested(event.toolCallId)
        break
      case 'tool-call.settled':
        this.#addResults(this.#calls.settled({ ...recorded, event }, false))
        break
      default:
        break
    }
  }

  #addInput(inputId: EntryId | undefined): void {
    const content = inputId && this.#inputs.get(inputId)
    if (inputId === undefined || content === undefined) return
    this.#inputs.delete(inputId)
    this.#messages.push({ role: 'user', content })
  }

  #addPause({ calls, isSameMessage, results }: ShownPause): void {
    const blocks = calls.map(({ call }) => call)
    const last = this.#messages.at(-1)
    if (isSameMessage && last?.role === 'assistant' && typeof last.content !== 'string') {
      this.#messages[this.#messages.length - 1] = { role: 'assistant', content: [...last.content, ...blocks] }
    } else if (blocks.length > 0) this.#messages.push({ role: 'assistant', content: blocks })
    this.#addResults(results)
  }

  #addResults(results: readonly ShownResult[]): void {
    for (const { result } of results) this.#messages.push(toMessage(result))
  }
}

function toMessage({ toolCallId, output }: ToolCallSettled): ConversationMessage {
  return { role: 'tool', toolCallId, content: output }
}

import type { ConversationMessage, StepBlock, ToolCallPart, UserContent } from '../content.ts'
import type { CallRoute } from '../events/step-events.ts'
import type { Recorded, RecordedEvent } from '../events/recorded-event.ts'
import type { ToolCallSettled } from '../events/call-events.ts'
import type { EntryId, ToolCallId } from '../ids.ts'

/**
 * All that was said in a session, in order, nothing left out: seed, inputs, answers, results, and text that was cut
 * short. What a sub-agent did is its own business, except for the calls that had to wait for somebody: each is shown
 * as a message of its own.
 */
export class Transcript {
  readonly #messages: ConversationMessage[] = []
  readonly #inputs = new Map<EntryId, UserContent>()
  readonly #childCalls = new Map<ToolCallId, ToolCallPart>()
  readonly #shown = new Set<ToolCallId>()
  /** The newest message of calls that wait, while nobody has answered any of them. */
  #waiting: ToolCallPart[] | undefined

  messages(): readonly ConversationMessage[] {
    return this.#messages
  }

  apply({ event }: Recorded): void {
    if ('loopId' in event && event.loopId !== undefined && event.type !== 'step.started') return this.#applyChild(event)
    switch (event.type) {
      case 'session.seeded':
        this.#messages.push(...event.messages)
        break
      case 'input.admitted':
        this.#inputs.set(event.inputId, event.content)
        break
      case 'turn.started': {
        const content = event.inputId && this.#inputs.get(event.inputId)
        if (event.inputId === undefined || content === undefined) break
        this.#inputs.delete(event.inputId)
        this.#messages.push({ role: 'user', content })
        break
      }
      case 'step.answered':
        if (event.blocks.length > 0) this.#messages.push({ role: 'assistant', content: event.blocks })
        break
      case 'step.ended': {
        const text = event.partial?.filter((block) => block.type === 'text') ?? []
        if (text.length > 0) this.#messages.push({ role: 'assistant', content: text })
        break
      }
      case 'tool-call.settled':
        this.#addResult(event)
        break
      default:
        break
    }
  }

  #applyChild(event: RecordedEvent): void {
    switch (event.type) {
      case 'step.answered':
        for (const call of event.blocks.filter(isCall)) {
          this.#childCalls.set(call.toolCallId, call)
          if (isWaiting(event.routes[call.toolCallId])) this.#show(call.toolCallId)
        }
        break
      case 'approval.requested':
        this.#show(event.toolCallId)
        break
      case 'tool-call.settled':
        if (this.#shown.delete(event.toolCallId)) this.#addResult(event)
        this.#childCalls.delete(event.toolCallId)
        break
      default:
        break
    }
  }

  /** Calls that wait at the same time stand in one message, so that the last one has them all. */
  #show(toolCallId: ToolCallId): void {
    const call = this.#childCalls.get(toolCallId)
    if (call === undefined || this.#shown.has(toolCallId)) return
    this.#shown.add(toolCallId)
    if (this.#waiting !== undefined) return void this.#waiting.push(call)
    this.#waiting = [call]
    this.#messages.push({ role: 'assistant', content: this.#waiting })
  }

  #addResult({ toolCallId, output }: ToolCallSettled): void {
    this.#waiting = undefined
    this.#messages.push({ role: 'tool', toolCallId, content: output })
  }
}

const isCall = (block: StepBlock) => block.type === 'tool-call'
const isWaiting = (route: CallRoute | undefined): boolean => route === 'client' || route === 'question'

import type { SeedMessage, UserContent } from '../content.ts'
import type { Recorded } from '../events/recorded-event.ts'
import type { EntryId } from '../ids.ts'

/** All that was said in a session, in order, nothing left out: seed, inputs, answers, results, and text that was cut short. */
export class Transcript {
  readonly #messages: SeedMessage[] = []
  readonly #inputs = new Map<EntryId, UserContent>()

  messages(): readonly SeedMessage[] {
    return this.#messages
  }

  apply({ event }: Recorded): void {
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
        this.#messages.push({ role: 'tool', toolCallId: event.toolCallId, content: event.output })
        break
      default:
        break
    }
  }
}

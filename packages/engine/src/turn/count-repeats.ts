import { canonicalJson } from '../canonical-json.ts'
import type { JsonValue } from '../json.ts'
import type { ModelMessage } from '../ports/model.ts'

/** As often as an agent may make the same calls and get the same results, one step after the other. */
export const MOST_REPEATS = 3

/** How many of the newest steps since the user's last word made the same calls and got the same results as the last one. */
export function countRepeats(messages: readonly ModelMessage[]): number {
  const steps = stepsOf(messages)
  const last = steps.at(-1)
  if (last === undefined) return 0
  const different = steps.findLastIndex((step) => step !== last)
  return steps.length - 1 - different
}

/** As many steps as matter, and none before the user's last word. */
function newest(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  let steps = 0
  let start = messages.length
  for (; start > 0 && steps < MOST_REPEATS; start -= 1) {
    const role = messages[start - 1]?.role
    if (role === 'user') break
    if (role === 'assistant') steps += 1
  }
  return messages.slice(start)
}

/** Each step as one text; a step without calls is like no other. */
function stepsOf(messages: readonly ModelMessage[]): readonly string[] {
  const steps: string[] = []
  let step: JsonValue[] | undefined
  const end = (): void => {
    if (step !== undefined) steps.push(canonicalJson(step))
    step = undefined
  }
  for (const message of newest(messages)) {
    if (message.role === 'tool') {
      step?.push(JSON.parse(JSON.stringify(message.content)) as JsonValue)
      continue
    }
    end()
    const parts = typeof message.content === 'string' ? [] : message.content
    step = parts.flatMap((part) => (part.type === 'tool-call' ? [{ name: part.name, input: part.input }] : []))
    if (step.length === 0) return []
  }
  end()
  return steps
}

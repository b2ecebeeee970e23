import { canonicalJson } from '../canonical-json.ts'
import type { Failure } from '../events/recorded-event.ts'
import type { TurnOutcome } from '../events/turn-events.ts'
import type { JsonValue } from '../json.ts'
import type { ModelMessage } from '../ports/model.ts'

/** As often as an agent may make the same calls and get the same results, one step after the other. */
export const MOST_REPEATS = 3
/** As often as the same tools may fail in the same way, whatever they are asked. */
export const MOST_FAILURES = 5

/** Why an agent that goes round in circles is stopped; `undefined` if it does not. */
export function findCircle(
  messages: readonly ModelMessage[],
): { readonly outcome: TurnOutcome; readonly error: Failure } | undefined {
  const steps = stepsOf(messages)
  if (countEqual(steps.map(({ exchange }) => exchange)) >= MOST_REPEATS) {
    const message = `The agent stopped: it made the same call ${MOST_REPEATS} times in a row, with the same result.`
    return { outcome: 'step-limit', error: { code: 'repeated-call', message } }
  }
  if (steps.at(-1)?.failure === undefined) return undefined
  if (countEqual(steps.map(({ failure }) => failure)) < MOST_FAILURES) return undefined
  const message = `The agent stopped: its tools failed ${MOST_FAILURES} times in a row, in the same way.`
  return { outcome: 'failed', error: { code: 'tool-failure', message } }
}

/** How many of the last are the same. */
function countEqual(items: readonly (string | undefined)[]): number {
  const last = items.at(-1)
  return items.length - 1 - items.findLastIndex((item) => item !== last)
}

interface Step {
  /** What was called and what came back. */
  readonly exchange: string
  /** Which tools failed and how; absent when one did not. */
  readonly failure: string | undefined
}

/** As many steps as matter, and none before the user's last word. */
function newest(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  let steps = 0
  let start = messages.length
  for (; start > 0 && steps < MOST_FAILURES; start -= 1) {
    const role = messages[start - 1]?.role
    if (role === 'user') break
    if (role === 'assistant') steps += 1
  }
  return messages.slice(start)
}

/** A step without calls is like no other. */
function stepsOf(messages: readonly ModelMessage[]): readonly Step[] {
  const steps: Step[] = []
  let calls: JsonValue[] = []
  let results: JsonValue[] = []
  let isFailure = true
  const end = (): void => {
    if (calls.length === 0) return
    const failure = isFailure && results.length > 0 ? canonicalJson(results) : undefined
    steps.push({ exchange: canonicalJson([calls, results]), failure })
  }
  for (const message of newest(messages)) {
    if (message.role === 'tool') {
      const { name, content, isError } = message
      results.push([name, JSON.parse(JSON.stringify(content)) as JsonValue])
      isFailure &&= isError
      continue
    }
    end()
    const parts = typeof message.content === 'string' ? [] : message.content
    calls = parts.flatMap((part) => (part.type === 'tool-call' ? [{ name: part.name, input: part.input }] : []))
    results = []
    isFailure = true
    if (calls.length === 0) return []
  }
  end()
  return steps
}

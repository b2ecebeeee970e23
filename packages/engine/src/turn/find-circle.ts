import { canonicalJson } from '../canonical-json.ts'
import type { Failure } from '../events/recorded-event.ts'
import type { TurnOutcome } from '../events/turn-events.ts'
import type { JsonValue } from '../json.ts'
import type { ModelMessage } from '../ports/model.ts'

/** How often an agent may repeat the same calls with the same results in consecutive steps. */
export const MOST_REPEATS = 3
/** How often the same tools may fail in the same way, whatever their input. */
export const MOST_FAILURES = 5

/** Why an agent that repeats itself is stopped; `undefined` if it does not repeat itself. */
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

/** Counts how many of the last items are equal. */
function countEqual(items: readonly (string | undefined)[]): number {
  const last = items.at(-1)
  return items.length - 1 - items.findLastIndex((item) => item !== last)
}

interface Step {
  /** The calls and their results. */
  readonly exchange: string
  /** The failed tools and their errors. Absent if a tool succeeded. */
  readonly failure: string | undefined
}

/** The most recent steps that matter, none from before the last user message. */
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

/** Leaves out steps without calls. */
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

import type { Answer, Call, EvalTask, Sight } from './eval-task.ts'

/** A request to a model, as far as answers depend on it. */
export interface PlayedRequest {
  readonly system: string
  /** What the user said first: it says whose part this is. */
  readonly opening: string
  /** How many answers the conversation has so far. */
  readonly answers: number
  /** The tool results since the last answer. */
  readonly results: string
}

export interface PlayedAnswer {
  readonly says: string
  readonly calls: readonly Call[]
}

/** Every part that the tasks have, by its opening. */
export function collectParts(tasks: readonly EvalTask[]): ReadonlyMap<string, readonly Answer[]> {
  return new Map(tasks.flatMap(({ prompt, answers, errands = {} }) => [[prompt, answers], ...Object.entries(errands)]))
}

/** The next answer of a part, or words that say why there is none. */
export function playAnswer(parts: ReadonlyMap<string, readonly Answer[]>, request: PlayedRequest): PlayedAnswer {
  const part = parts.get(request.opening)
  if (part === undefined) return giveUp('I do not know this task.')
  const answer = part[request.answers]
  if (answer === undefined) return giveUp('I have nothing left to say.')
  const { sees = [], misses = [], told = [], says = '', calls = [] } = answer
  const unwanted = misses.find((text) => request.results.includes(text))
  if (unwanted !== undefined) return giveUp(`I did not expect to see ${JSON.stringify(unwanted)}.`)
  const captured: string[] = []
  for (const [text, sights] of [
    [request.system, told],
    [request.results, sees],
  ] as const) {
    for (const sight of sights) {
      const found = findSight(text, sight)
      if (found === undefined) return giveUp(`I expected ${String(sight)} in ${JSON.stringify(text.slice(-300))}.`)
      captured.push(...found)
    }
  }
  return { says, calls: calls.map(({ name, input }) => ({ name, input: fillIn(input, captured) })) }
}

const giveUp = (why: string): PlayedAnswer => ({ says: `I give up. ${why}`, calls: [] })

/** What a pattern captures; `undefined`: it is not there. */
function findSight(text: string, sight: Sight): readonly string[] | undefined {
  if (typeof sight === 'string') return text.includes(sight) ? [] : undefined
  return sight.exec(text)?.slice(1)
}

function fillIn(input: Call['input'], captured: readonly string[]): Call['input'] {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replaceAll(/\$([1-9])/g, (_, index) => captured[index - 1] ?? '') : value,
    ]),
  )
}

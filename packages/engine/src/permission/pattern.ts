/**
 * Matches the patterns of permission rules with RE2, which takes time proportional to pattern × text. A budget limits
 * even that. The syntax is that of RE2: no look-around and no back references.
 */
import { RE2JS, RE2JSException } from 're2js'

export interface Pattern {
  /** Whether the pattern occurs anywhere in the text. */
  search(text: string, budget: MatchBudget): MatchAnswer
  /** Whether the pattern matches the whole text. */
  matchWhole(text: string, budget: MatchBudget): MatchAnswer
}

/** `unknown`: the budget was too small. Callers must assume the worse answer. */
export type MatchAnswer = 'yes' | 'no' | 'unknown'

/** Instructions × characters that may still be compared. One budget is shared by all patterns of a call. */
export interface MatchBudget {
  steps: number
}

const LONGEST = 1000
const MOST_INSTRUCTIONS = 4000
const MOST_KEPT = 500
const kept = new Map<string, Pattern | undefined>()

/** `undefined` if the text is not a valid pattern; `problemOfPattern` says why. */
export function compilePattern(source: string): Pattern | undefined {
  if (kept.has(source)) return kept.get(source)
  const compiled = compile(source)
  const pattern = typeof compiled === 'string' ? undefined : toPattern(compiled)
  const oldest = kept.keys().next()
  if (kept.size >= MOST_KEPT && !oldest.done) kept.delete(oldest.value)
  kept.set(source, pattern)
  return pattern
}

/** The problem with a pattern; `undefined` if it is valid. */
export function problemOfPattern(source: string): string | undefined {
  const compiled = compile(source)
  return typeof compiled === 'string' ? compiled : undefined
}

/** Returns the program, or the problem with the text. */
function compile(source: string): RE2JS | string {
  if (source.length > LONGEST) return `longer than ${LONGEST} characters`
  try {
    const program = RE2JS.compile(RE2JS.translateRegExp(source))
    return program.programSize() > MOST_INSTRUCTIONS ? 'too large when its repeats are written out' : program
  } catch (error) {
    if (error instanceof RE2JSException) return error.message.replace(/^error parsing regexp: /, '')
    throw error
  }
}

function toPattern(program: RE2JS): Pattern {
  const size = program.programSize()
  const within = (text: string, budget: MatchBudget, matches: () => boolean): MatchAnswer => {
    const cost = size * (text.length + 1)
    if (cost > budget.steps) return 'unknown'
    budget.steps -= cost
    return matches() ? 'yes' : 'no'
  }
  return {
    search: (text, budget) => within(text, budget, () => program.test(text)),
    matchWhole: (text, budget) => within(text, budget, () => program.testExact(text)),
  }
}

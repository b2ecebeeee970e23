/**
 * Matches the patterns of permission rules with RE2, which takes time proportional to pattern × text. A budget limits
 * even that, and the making of patterns, which takes a moment for each instruction. The syntax is that of RE2: no
 * look-around and no back references.
 */
import { RE2JS, RE2JSException } from 're2js'
import { effortOf } from './pattern-effort.ts'

export interface Pattern {
  /** Whether the pattern occurs anywhere in the text. */
  search(text: string, budget: MatchBudget): MatchAnswer
  /** Whether the pattern matches the whole text. */
  matchWhole(text: string, budget: MatchBudget): MatchAnswer
}

/** `unknown`: the budget was too small. Callers must assume the worse answer. */
export type MatchAnswer = 'yes' | 'no' | 'unknown'

/** What the comparisons of one call may still cost. All its patterns share it. */
export interface MatchBudget {
  /** Instructions × characters that may still be compared. */
  steps: number
  /** Instructions that may still be made from patterns. A pattern that was used before costs nothing. */
  effort: number
}

const LONGEST = 1000
const MOST_INSTRUCTIONS = 4000
/** The effort of all compiled patterns that are kept. */
const MOST_KEPT = 200_000
const TOO_LARGE = 'too large when its repeats are written out'

interface Compiled {
  readonly effort: number
  /** The problem of a text that is no valid pattern. */
  readonly result: Pattern | string
}

const kept = new Map<string, Compiled>()
let keptEffort = 0

/** `undefined` if the text is not a valid pattern; `problemOfPattern` says why. `unknown`: the budget was too small. */
export function compilePattern(source: string, budget: Pick<MatchBudget, 'effort'>): Pattern | 'unknown' | undefined {
  const found = compiledOf(source, budget)
  if (found === undefined) return 'unknown'
  return typeof found === 'string' ? undefined : found
}

/** The problem with a pattern; `undefined` if it is valid. `unknown`: the budget was too small. */
export function problemOfPattern(source: string, budget: Pick<MatchBudget, 'effort'>): string | undefined {
  const found = compiledOf(source, budget)
  return found === undefined || typeof found === 'string' ? (found ?? 'unknown') : undefined
}

function compiledOf(source: string, budget: Pick<MatchBudget, 'effort'>): Pattern | string | undefined {
  if (source.length > LONGEST) return `longer than ${LONGEST} characters`
  const known = kept.get(source)
  if (known) return known.result
  const effort = effortOf(source)
  if (effort > MOST_INSTRUCTIONS) return TOO_LARGE
  if (effort > budget.effort) return undefined
  budget.effort -= effort
  const compiled = compile(source)
  const result = typeof compiled === 'string' ? compiled : toPattern(compiled)
  keep(source, { effort, result })
  return result
}

function keep(source: string, compiled: Compiled): void {
  kept.set(source, compiled)
  keptEffort += compiled.effort
  for (const [oldest, { effort }] of kept) {
    if (keptEffort <= MOST_KEPT) return
    kept.delete(oldest)
    keptEffort -= effort
  }
}

/** Returns the program, or the problem with the text. */
function compile(source: string): RE2JS | string {
  try {
    const program = RE2JS.compile(RE2JS.translateRegExp(source))
    return program.programSize() > MOST_INSTRUCTIONS ? TOO_LARGE : program
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

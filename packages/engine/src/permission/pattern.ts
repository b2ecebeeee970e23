/**
 * Matches the patterns of permission rules. A pattern becomes a program of a non-deterministic machine (Thompson's), and
 * all its states advance together over the text, so that the time is at most program × text: no pattern and no text
 * makes it try again and again. A budget bounds even that.
 */
import {
  type AssertionKind,
  type CharacterTest,
  PatternError,
  type PatternNode,
  isWord,
  parsePattern,
} from './pattern-syntax.ts'

export interface Pattern {
  /** Whether it occurs somewhere in the text. */
  search(text: string, budget: MatchBudget): MatchAnswer
  /** Whether it is the whole text. */
  matchWhole(text: string, budget: MatchBudget): MatchAnswer
}

/** `unknown`: the budget did not suffice. Whoever asked takes it for the worse. */
export type MatchAnswer = 'yes' | 'no' | 'unknown'

/** Steps of the machine that are left. One is shared by all the patterns that a call is compared with. */
export interface MatchBudget {
  steps: number
}

type Instruction =
  | { readonly op: 'character'; readonly matches: CharacterTest; readonly cost: number }
  | { readonly op: 'assert'; readonly kind: AssertionKind }
  | { readonly op: 'split'; readonly first: number; readonly second: number }
  | { readonly op: 'jump'; readonly to: number }
  | { readonly op: 'accept' }

const MOST_INSTRUCTIONS = 4_000
const MOST_KEPT = 500
const kept = new Map<string, Pattern | undefined>()

/** `undefined` when it is no pattern of ours; `parsePattern` says why. */
export function compilePattern(source: string): Pattern | undefined {
  if (kept.has(source)) return kept.get(source)
  const pattern = tryCompile(source)
  const oldest = kept.keys().next()
  if (kept.size >= MOST_KEPT && !oldest.done) kept.delete(oldest.value)
  kept.set(source, pattern)
  return pattern
}

/** What is wrong with a pattern; `undefined` when nothing is. */
export function problemOfPattern(source: string): string | undefined {
  try {
    createProgram(parsePattern(source))
    return undefined
  } catch (error) {
    if (error instanceof PatternError) return error.message
    throw error
  }
}

function tryCompile(source: string): Pattern | undefined {
  if (problemOfPattern(source) !== undefined) return undefined
  const node = parsePattern(source)
  const anywhere = createProgram(node)
  const whole = createProgram({ type: 'sequence', items: [START, node, END] })
  return {
    search: (text, budget) => run(anywhere, text, { budget, isAnchored: false }),
    matchWhole: (text, budget) => run(whole, text, { budget, isAnchored: true }),
  }
}

const START: PatternNode = { type: 'assertion', kind: 'start' }
const END: PatternNode = { type: 'assertion', kind: 'end' }

function createProgram(node: PatternNode): readonly Instruction[] {
  const program: Instruction[] = []
  const add = (instruction: Instruction): number => program.push(instruction) - 1
  // Not only instructions are counted: an empty group that is repeated writes none.
  let written = 0
  const write = (part: PatternNode): void => {
    written += 1
    if (Math.max(written, program.length) > MOST_INSTRUCTIONS) {
      throw new PatternError('too large when its repeats are written out')
    }
    switch (part.type) {
      case 'character':
        add({ op: 'character', matches: part.matches, cost: part.cost })
        return
      case 'assertion':
        add({ op: 'assert', kind: part.kind })
        return
      case 'sequence':
        for (const item of part.items) write(item)
        return
      case 'choice':
        writeChoice(part.options)
        return
      case 'repeat':
        for (let count = 0; count < part.least; count += 1) write(part.item)
        if (part.most === Infinity) writeLoop(part.item)
        else writeOptional(part.item, part.most - part.least)
    }
  }
  const writeChoice = (options: readonly PatternNode[]): void => {
    const jumps: number[] = []
    for (const [index, option] of options.entries()) {
      const split = index < options.length - 1 ? add({ op: 'jump', to: 0 }) : undefined
      write(option)
      if (split === undefined) continue
      jumps.push(add({ op: 'jump', to: 0 }))
      program[split] = { op: 'split', first: split + 1, second: program.length }
    }
    for (const jump of jumps) program[jump] = { op: 'jump', to: program.length }
  }
  const writeLoop = (item: PatternNode): void => {
    const split = add({ op: 'jump', to: 0 })
    write(item)
    add({ op: 'jump', to: split })
    program[split] = { op: 'split', first: split + 1, second: program.length }
  }
  const writeOptional = (item: PatternNode, times: number): void => {
    const splits: number[] = []
    for (let count = 0; count < times; count += 1) {
      splits.push(add({ op: 'jump', to: 0 }))
      write(item)
    }
    for (const split of splits) program[split] = { op: 'split', first: split + 1, second: program.length }
  }
  write(node)
  add({ op: 'accept' })
  return program
}

interface RunOptions {
  readonly budget: MatchBudget
  /** Begins at the beginning only. */
  readonly isAnchored: boolean
}

function run(program: readonly Instruction[], text: string, { budget, isAnchored }: RunOptions): MatchAnswer {
  // Compared with `round`, so that it need not be emptied for every character.
  const seenIn = new Uint32Array(program.length)
  const waiting: number[] = []
  let current: number[] = []
  let round = 0
  let before: number | undefined

  /** Follows everything that takes no character. `true` when the end of the program is reached. */
  const enter = (start: number, states: number[], after: number | undefined): boolean => {
    waiting.push(start)
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const instruction = program[at]
      if (instruction === undefined || seenIn[at] === round) continue
      seenIn[at] = round
      budget.steps -= 1
      if (instruction.op === 'accept') return true
      if (instruction.op === 'character') states.push(at)
      else if (instruction.op === 'jump') waiting.push(instruction.to)
      else if (instruction.op === 'split') waiting.push(instruction.second, instruction.first)
      else if (holds(instruction.kind, before, after)) waiting.push(at + 1)
    }
    return false
  }

  for (let index = 0; ;) {
    const code = text.codePointAt(index)
    round += 1
    const states: number[] = []
    for (const at of current) if (enter(at, states, code)) return 'yes'
    if ((!isAnchored || index === 0) && enter(0, states, code)) return 'yes'
    if (code === undefined) return 'no'
    if (budget.steps <= 0) return 'unknown'
    current = []
    for (const at of states) {
      const instruction = program[at]
      if (instruction?.op !== 'character') continue
      budget.steps -= instruction.cost
      if (instruction.matches(code)) current.push(at + 1)
    }
    if (isAnchored && current.length === 0) return 'no'
    budget.steps -= 1
    before = code
    index += code > 0xffff ? 2 : 1
  }
}

function holds(kind: AssertionKind, before: number | undefined, after: number | undefined): boolean {
  switch (kind) {
    case 'start':
      return before === undefined
    case 'end':
      return after === undefined
    case 'word-border':
      return isWordAt(before) !== isWordAt(after)
    case 'no-word-border':
      return isWordAt(before) === isWordAt(after)
  }
}

const isWordAt = (code: number | undefined): boolean => code !== undefined && isWord(code)

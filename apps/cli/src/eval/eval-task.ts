/**
 * A small repository whose test fails, and what a model could say to repair it. The answers are written by hand. They show
 * that prompt, tools and loop carry a model through the task, and nothing about any real model.
 */
export interface EvalTask {
  readonly name: string
  /** What it exercises, in a few words. */
  readonly about: string
  readonly prompt: string
  /** Texts by path. `test.mjs` is the failing test; it must pass in the end, as it is here. */
  readonly files: Readonly<Record<string, string>>
  /** One for each request. */
  readonly answers: readonly Answer[]
  /** The answers of sub-agents, by their prompts. */
  readonly errands?: Readonly<Record<string, readonly Answer[]>>
}

/**
 * What the model says when the request holds what the answer relies on; otherwise it gives up. `$1`, `$2` … in the calls
 * stand for what the patterns have captured, in their order.
 */
export interface Answer {
  /** Needed in the newest tool results. */
  readonly sees?: readonly Sight[]
  /** Must not be in the newest tool results. */
  readonly misses?: readonly string[]
  /** Needed in the system prompt. */
  readonly told?: readonly Sight[]
  readonly says?: string
  readonly calls?: readonly Call[]
}

export type Sight = string | RegExp

export interface Call {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

export const TEST_FILE = 'test.mjs'

const call =
  (name: string) =>
  (input: Call['input']): Call => ({ name, input })

export const grep = call('Grep')
export const glob = call('Glob')
export const edits = call('Edit')
export const todos = call('TodoWrite')
export const agent = call('Agent')
export const read = (path: string, more: Call['input'] = {}): Call => ({ name: 'Read', input: { path, ...more } })
export const write = (path: string, content: string): Call => ({ name: 'Write', input: { path, content } })
export const edit = (path: string, oldText: string, newText: string): Call => edits({ path, oldText, newText })
export const bash = (command: string): Call => ({ name: 'Bash', input: { command } })

/** The model runs the test and, when it has seen it pass, says that it is done. */
export const CHECKED: readonly Answer[] = [
  { sees: [/Edited|Wrote|Created/], calls: [bash('node test.mjs')] },
  { sees: ['all good'], says: 'Done: `node test.mjs` passes.' },
]

/** A test that says `all good`, or throws. */
export const testOf = (imports: string, ...checks: readonly string[]): string =>
  [`import assert from 'node:assert/strict'`, imports, ...checks, `console.log('all good')`, ''].join('\n')

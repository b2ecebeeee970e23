import type { Edit } from '../mutants/mutant.ts'

/** A mistake in the prompt, a tool or the loop, and the task of the evaluation that shows it. */
export interface Regression {
  readonly name: string
  readonly edit: Edit
  readonly task: string
  /** Other tasks of this list that it turns red. */
  readonly alsoFails?: readonly string[]
}

const TOOLS = 'packages/tools/src'
const ENGINE = 'packages/engine/src'
const SERVER = 'apps/server/src'

export const REGRESSIONS: readonly Regression[] = [
  {
    name: 'the prompt no longer asks for a run of the tests',
    edit: {
      file: `${SERVER}/agents/coder/coder-prompt.ts`,
      find: 'Run the tests that cover the change, then the',
      replacement: 'Run the',
    },
    task: 'second-look',
  },
  {
    name: 'the prompt does not name the working directory',
    edit: {
      file: `${SERVER}/surroundings/describe-environment.ts`,
      find: '`Working directory: ${workspace.cwd}`',
      replacement: '`Working directory: here`',
    },
    task: 'know-the-place',
  },
  {
    name: 'the instructions of the project are left out',
    edit: {
      file: `${SERVER}/surroundings/describe-instructions.ts`,
      find: "if (text === undefined || text.trim() === '') continue",
      replacement: 'if (text !== undefined) continue',
    },
    task: 'house-rules',
  },
  {
    name: 'Edit makes the first of several edits only',
    edit: {
      file: `${TOOLS}/files/replace-text.ts`,
      find: 'of changes.entries()',
      replacement: 'of changes.slice(0, 1).entries()',
    },
    task: 'several-edits',
  },
  {
    name: 'Edit changes every place that fits',
    edit: {
      file: `${TOOLS}/files/replace-text.ts`,
      find: 'if (count > 1 && !change.replaceAll)',
      replacement: 'if (count > 1_000)',
    },
    task: 'ambiguous-edit',
  },
  {
    name: 'Bash does not tell that a command failed',
    edit: {
      file: `${TOOLS}/bash/describe-end.ts`,
      find: "return exitCode === 0 ? '' : `Exit code ${exitCode ?? 'unknown'}.`",
      replacement: "return exitCode === 0 ? '' : ''",
    },
    task: 'read-the-error',
    alsoFails: ['second-look'],
  },
  {
    name: 'Grep finds what Git ignores',
    edit: {
      file: `${TOOLS}/files/walk-tree.ts`,
      find: 'if (isIgnored(rules, [...before, ...way, name], { isDirectory })) continue',
      replacement: '',
    },
    task: 'ignored-copy',
  },
  {
    name: 'the model sees no results of calls that failed',
    edit: {
      file: `${ENGINE}/views/context-messages.ts`,
      find: "content: output, isError: status !== 'completed' }",
      replacement: "content: status === 'completed' ? output : '', isError: status !== 'completed' }",
    },
    task: 'stale-text',
    alsoFails: ['second-look', 'ambiguous-edit', 'read-the-error'],
  },
  {
    name: 'a turn ends after ten steps',
    edit: {
      file: `${SERVER}/config/limits.ts`,
      find: 'maxSteps: upTo(10_000, 200)',
      replacement: 'maxSteps: upTo(10_000, 10)',
    },
    task: 'long-plan',
  },
  {
    name: 'the result of a sub-agent is lost',
    edit: {
      file: `${ENGINE}/turn/end-child.ts`,
      find: 'output: resultOf(end),',
      replacement: "output: resultOf({ ...end, said: '' }),",
    },
    task: 'two-errands',
  },
  {
    name: 'Read does not say where to go on',
    edit: {
      file: `${TOOLS}/files/number-lines.ts`,
      find: '`; go on with offset ${last + 1}`',
      replacement: "''",
    },
    task: 'long-file',
  },
]

/**
 * Runs that plant several regressions at a time: each plants those whose number has its bit. So every regression has its own
 * set of runs.
 */
export const RUNS: readonly (readonly Regression[])[] = [1, 2, 4, 8].map((bit) =>
  REGRESSIONS.filter((_, index) => ((index + 1) & bit) !== 0),
)

export const redBy = (planted: readonly Regression[]): ReadonlySet<string> =>
  new Set(planted.flatMap(({ task, alsoFails = [] }) => [task, ...alsoFails]))

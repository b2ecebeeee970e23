import type { Tool } from '@polylogue/engine'
import { z } from 'zod'
import { oneLine } from '../parse-with.ts'
import { askFor, pathInput, showName } from './asked-path.ts'
import { compilePattern } from './compile-pattern.ts'
import { defineFileTool, inspectPath } from './define-file-tool.ts'
import { createFewAtATime } from './few-at-a-time.ts'
import { globInput, type SearchToolOptions } from './glob-tool.ts'

const LONGEST_PATTERN = 1000
/** The number of worker threads. */
const MOST_SEARCHES = 4

const input = z.object({
  pattern: z
    .string()
    .min(1)
    .max(LONGEST_PATTERN)
    .superRefine((pattern, context) => {
      const problem = problemOf(pattern)
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
    })
    .describe('A regular expression as in JavaScript, for one line'),
  path: pathInput.default('.').describe('A file or directory; the working directory unless given'),
  glob: globInput.optional().describe('Only files like this: *.ts, src/**/*.json, !*.test.ts'),
  ignoreCase: z.boolean().default(false),
  context: z.int().min(0).max(10).default(0).describe('Lines to show before and after each match'),
  limit: z.int().min(1).max(2000).default(200).describe('How many matching lines to show'),
})

export type GrepInput = z.output<typeof input>

export function createGrepTool({ confiner, limits }: SearchToolOptions): Tool {
  const few = createFewAtATime(MOST_SEARCHES)
  return defineFileTool({
    name: 'Grep',
    title: 'Search files',
    description:
      'Searches the text files of the workspace for a regular expression, line by line. Answers path:line:text. ' +
      'What .gitignore names, .git and node_modules are left out unless the path begins there.',
    input,
    effect: 'readonly',
    kind: 'search',
    nature: 'read-files',
    async inspect({ pattern, path }, workspace) {
      const asked = askFor(workspace, path)
      const { facts } = await inspectPath(asked, {
        type: 'read-files',
        confine: (permit) => confiner.confine(workspace, permit),
      })
      const where = asked.shown === '.' ? '' : ` in ${asked.shown}`
      return { facts, preview: { title: `Grep ${showName(pattern)}${where}`, locations: [{ path: asked.absolute }] } }
    },
    run: (call) => few.run(async () => (await import('./search-lines.ts')).searchLines(call, { confiner, limits })),
  })
}

function problemOf(pattern: string): string | undefined {
  try {
    compilePattern(pattern, { ignoreCase: false })
    return undefined
  } catch (error) {
    return oneLine(error instanceof Error ? error.message : String(error))
  }
}

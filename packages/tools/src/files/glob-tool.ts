import type { Tool, Workspace } from '@polylogue/engine'
import { join } from 'node:path'
import { z } from 'zod'
import { askFor, pathInput, showName, showPath, type AskedPath } from './asked-path.ts'
import { permitOf, type Confiner } from './confines.ts'
import { defineFileTool, inspectPath } from './define-file-tool.ts'
import { compileGlob, isMagic } from './glob.ts'
import { createSearchBudget, type SearchLimits } from './search-limits.ts'

const MOST_SHOWN = 1000
const LONGEST_PATTERN = 1000

export const globInput = z
  .string()
  .min(1)
  .max(LONGEST_PATTERN)
  .refine((pattern) => compileGlob(pattern) !== undefined, 'stands for too many patterns: use fewer braces')

const input = z.object({
  pattern: globInput
    .refine((pattern) => !pattern.includes('\0'), 'must not contain a NUL character')
    .refine((pattern) => !splitPattern(pattern).rest.includes('..'), 'must not contain .. after a wildcard')
    .describe('Such as **/*.ts or src/{a,b}/*.json'),
  path: pathInput.default('.').describe('Where to begin; the working directory unless given'),
})

export interface SearchToolOptions {
  readonly confiner: Confiner
  readonly limits: SearchLimits
}

export function createGlobTool({ confiner, limits }: SearchToolOptions): Tool {
  return defineFileTool({
    name: 'Glob',
    title: 'Find files',
    description:
      'Finds files of the workspace by a pattern of their path. ' +
      'What .gitignore names, .git and node_modules are left out unless the pattern or the path begins there.',
    input,
    effect: 'readonly',
    kind: 'search',
    nature: 'read-files',
    async inspect(request, workspace) {
      const { start } = toSearch(request, workspace)
      const { facts } = await inspectPath(start, {
        type: 'read-files',
        confine: (permit) => confiner.confine(workspace, permit),
      })
      return { facts, preview: { title: `Glob ${showName(request.pattern)}`, locations: [{ path: start.absolute }] } }
    },
    async run({ input: request, workspace, grant, signal }) {
      const { start, pattern } = toSearch(request, workspace)
      const matches = compileGlob(pattern) ?? (() => false)
      const budget = createSearchBudget(limits)
      const found: string[] = []
      const visit = async (files: readonly { path: string; way: readonly string[] }[]): Promise<boolean> => {
        found.push(...files.filter(({ way }) => matches(way)).map(({ path }) => path))
        return true
      }
      const { searchFiles } = await import('./search-files.ts')
      await searchFiles(await confiner.confine(workspace, permitOf(grant)), start, { budget, signal, visit })
      const notes: string[] = []
      if (found.length > MOST_SHOWN) notes.push(`[The first ${MOST_SHOWN} of ${found.length} files.]`)
      const limit = budget.over()
      if (limit !== undefined) notes.push(`[The search was stopped ${limit}: begin further down.]`)
      const lines = found.sort().slice(0, MOST_SHOWN)
      const shown = lines.length === 0 ? ['No files match.'] : lines.map((path) => showPath(workspace, path))
      return { content: [...shown, ...notes].join('\n') }
    },
  })
}

function toSearch(
  { pattern, path }: z.output<typeof input>,
  workspace: Workspace,
): { readonly start: AskedPath; readonly pattern: string } {
  const { start, rest } = splitPattern(pattern)
  const from = start.startsWith('/') ? start : join(path, start)
  return { start: askFor(workspace, from), pattern: rest.join('/') }
}

/** The search starts at the pattern's prefix without wildcards. */
function splitPattern(pattern: string): { readonly start: string; readonly rest: readonly string[] } {
  const parts = pattern.split('/')
  const magic = parts.findIndex(isMagic)
  const at = magic === -1 ? parts.length - 1 : magic
  const start = parts.slice(0, at).join('/')
  return { start: pattern.startsWith('/') ? `/${start}` : start, rest: parts.slice(at) }
}

import { readdirSync } from 'node:fs'
import type { JsonObject, Tool, ToolInvocation, ToolOutput, Workspace } from '@polylogue/engine'
import { z } from 'zod'
import type { BashToolOptions } from '../bash/bash-options.ts'
import { createBashParts } from '../bash/bash-parts.ts'
import { type BashParts, placeOf } from '../bash/command-place.ts'
import { defineTool } from '../define-tool.ts'
import { inspectCommand } from '../shell/inspect-later.ts'
import { CHECKER_NAMES, DIAGNOSTICS_TOOL, commandOfChecker, findCheckers } from './checkers.ts'
import type { Diagnostic } from './parse-diagnostics.ts'

const LONGEST_CHECK_MS = 300_000
const MOST_SHOWN = 200

const input = z.object({
  checker: z.enum(CHECKER_NAMES).optional().describe('Leave it out to see which of them the project uses'),
})

/** `Diagnostics`: runs a checker of the project as `Bash` would, with the same sandbox, limits, rules and questions. */
export function createDiagnosticsTool(options: BashToolOptions): Tool {
  const parts: BashParts = { ...createBashParts(options), tool: DIAGNOSTICS_TOOL }
  const tool = defineTool({
    name: DIAGNOSTICS_TOOL,
    title: 'Diagnostics',
    description: "Runs the project's own type checker or linter and returns its problems as path:line:column: message.",
    input,
    // A checker can run code of the project.
    effect: 'unsafe',
    kind: 'execute',
    async inspect({ checker }, workspace) {
      const command = commandOfChecker(checker)
      if (command === undefined) return { facts: { type: 'read-files' }, preview: { title: 'Find checkers' } }
      const { facts } = await inspectCommand(command, await placeOf(workspace, parts))
      return { facts, preview: { title: command } }
    },
    run: () => Promise.reject(new Error('unreachable')),
  })
  return Object.assign(tool, {
    sameAs(given: JsonObject) {
      const command = commandOfChecker(given['checker'])
      return command === undefined ? undefined : { tool: 'Bash', input: { command } }
    },
    run: (invocation: ToolInvocation) => runChecker(invocation, parts),
    ...(options.isUnconfined === true && { isUnconfined: true }),
  })
}

async function runChecker(invocation: ToolInvocation, parts: BashParts): Promise<ToolOutput> {
  const { workspace } = invocation
  const { checker } = input.parse(invocation.input)
  const command = commandOfChecker(checker)
  if (command === undefined) return { content: describeCheckers(workspace) }
  const [{ runBash }, { parseDiagnostics }] = await Promise.all([
    import('../bash/run-bash.ts'),
    import('./parse-diagnostics.ts'),
  ])
  const { content, ...output } = await runBash(
    { ...invocation, input: { command, timeoutMs: LONGEST_CHECK_MS } },
    parts,
  )
  const printed = typeof content === 'string' ? content : ''
  const problems = parseDiagnostics(printed, workspace.cwd)
  if (problems.length > 0) return { ...output, content: describeProblems(problems) }
  const isClean = output.meta?.['exitCode'] === 0
  return { ...output, content: isClean ? `${command} found no problems.` : `${command}:\n${printed}` }
}

function describeCheckers({ cwd }: Workspace): string {
  const found = findCheckers(readdirSync(cwd))
  if (found.length === 0) return 'The working directory has no configuration of a checker that is known here.'
  return found.map(({ name, command }) => `${name}: ${command}`).join('\n')
}

function describeProblems(problems: readonly Diagnostic[]): string {
  const lines = problems.slice(0, MOST_SHOWN).map(({ path, line, column, message }) => {
    return `${path}:${line}${column === undefined ? '' : `:${column}`}: ${message}`
  })
  const more = problems.length - lines.length
  return [`${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}:`, ...lines]
    .concat(more > 0 ? [`[${more} more]`] : [])
    .join('\n')
}

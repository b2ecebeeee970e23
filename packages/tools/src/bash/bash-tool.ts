import type { Tool, ToolInvocation, ToolOutput } from '@polylogue/engine'
import { defineTool } from '../define-tool.ts'
import { inspectCommand } from '../shell/inspect-later.ts'
import { toToolOutput } from '../tool-output.ts'
import { bashInput } from './bash-input.ts'
import type { BashToolOptions } from './bash-options.ts'
import { createBashParts } from './bash-parts.ts'
import { placeOf, type BashParts } from './command-place.ts'
import { BASH_TOOL } from './spawn-command.ts'

const LONGEST_TITLE = 1000
/** Most process trees have ended by then, so nothing is written after the end of the turn is reported. */
const STOP_GRACE_MS = 60

export function createBashTool(options: BashToolOptions): Tool {
  const parts = createBashParts(options)
  const tool = defineTool({
    name: BASH_TOOL,
    title: 'Run a command',
    description:
      'Runs a shell command and returns what it prints (standard output and error in order). Nothing it starts ' +
      'outlives the call, unless background is set.',
    input: bashInput,
    effect: 'unsafe',
    kind: 'execute',
    nature: 'shell',
    async inspect({ command }, workspace) {
      const { facts } = await inspectCommand(command, await placeOf(workspace, parts))
      return { facts, preview: { title: titleOf(command) } }
    },
    run: () => Promise.reject(new Error('unreachable')),
  })
  // Does not use `defineTool`, which would warn about `_meta` in the output of a command.
  const run = async (invocation: ToolInvocation): Promise<ToolOutput> => {
    const { blocked, ...output } = await perform(invocation, parts)
    return { ...toToolOutput(BASH_TOOL, output, { warn: () => undefined }), ...(blocked !== undefined && { blocked }) }
  }
  const isUnconfined = options.isUnconfined === true && { isUnconfined: true }
  return Object.assign(tool, { stopGraceMs: STOP_GRACE_MS, run, ...isUnconfined })
}

async function perform(invocation: ToolInvocation, parts: BashParts): Promise<ToolOutput> {
  const { background = false } = bashInput.parse(invocation.input)
  if (background) return (await import('./run-in-background.ts')).runInBackground(invocation, parts)
  return (await import('./run-bash.ts')).runBash(invocation, parts)
}

/** The whole command on one line, so that people see all of what they approve. */
function titleOf(command: string): string {
  const line = command.trim().replaceAll(/\r?\n|\r/g, ' ⏎ ')
  const more = line.length - LONGEST_TITLE
  return more <= 0 ? line : `${line.slice(0, LONGEST_TITLE).toWellFormed()}… (${more} more characters)`
}

import type { Tool, ToolOutput } from '@polylogue/engine'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { oneLine } from '../parse-with.ts'
import type { BackgroundProcess, BackgroundProcesses } from './background-processes.ts'

const MOST_WAIT_MS = 60_000
const LONGEST_COMMAND = 120

const input = z.object({
  id: z.string().min(1).max(20).optional().describe('As it was returned when the command started. Absent: list all'),
  waitMs: z.int().min(0).max(MOST_WAIT_MS).default(0).describe('Wait so long for new output or the end'),
  stop: z.boolean().default(false).describe('End it, with everything that it has started'),
})

/** `Background`: looks at and ends commands that `Bash` keeps running. */
export function createBackgroundTool({ processes }: { readonly processes: BackgroundProcesses }): Tool {
  return defineTool({
    name: 'Background',
    title: 'Background command',
    description:
      'Shows what a command in the background has printed since the last look and whether it still runs, or stops it.',
    input,
    effect: 'idempotent',
    kind: 'execute',
    inspect: async ({ id, stop }) => ({
      // Ending what the session itself has started changes no file.
      facts: stop ? { type: 'notes' } : { type: 'read-files' },
      preview: { title: id === undefined ? 'List background commands' : stop ? `Stop ${id}` : `Output of ${id}` },
    }),
    async run({ input: { id, waitMs, stop }, sessionId, signal }) {
      const known = processes.list(sessionId)
      if (id === undefined && !stop) return { content: describeAll(known) }
      const found = known.find((one) => one.id === id)
      if (found === undefined) {
        const problem = id === undefined ? 'name the command to stop' : `no command is named ${id}`
        throw new Error(`${problem}.\n${describeAll(known)}`)
      }
      if (stop) await found.stop()
      else await found.wait({ for: 'news', ms: waitMs, signal })
      // The call that started it is over, so that it cannot be offered outside of the sandbox.
      const { blocked: _blocked, ...look } = describeLook(found)
      return look
    },
  })
}

/** One line for each command, without its output, which stays unread. */
function describeAll(known: readonly BackgroundProcess[]): string {
  if (known.length === 0) return 'No command was started in the background.'
  return known
    .map((one) => `${one.id} ${one.isRunning() ? 'is running' : 'has ended'}: ${shorten(oneLine(one.command))}`)
    .join('\n')
}

const shorten = (text: string): string =>
  text.length > LONGEST_COMMAND ? `${text.slice(0, LONGEST_COMMAND - 1)}…` : text

/** For the model: what was printed, then how the command stands. */
export function describeLook(process: BackgroundProcess): ToolOutput {
  const { printed, end } = process.look()
  const text = printed.replace(/\n$/, '')
  const state = end === undefined ? `${process.id} is running.` : `${process.id} has ended. ${lastLine(end)}`.trim()
  return {
    content: [text === '' ? '(no new output)' : text, `[${state}]`].join('\n'),
    ...(end?.isError === true && { isError: true }),
    ...(end?.meta && { meta: end.meta }),
    ...(end?.blocked !== undefined && { blocked: end.blocked }),
  }
}

/** How it ended, without what it printed. */
function lastLine({ content, meta, blocked = '' }: ToolOutput): string {
  const code = meta?.['exitCode']
  if (typeof code === 'number') return `Exit code ${code}. ${blocked}`
  return meta === undefined && typeof content === 'string' ? content : ''
}

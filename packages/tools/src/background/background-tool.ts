import type { Tool, ToolOutput } from '@polylogue/engine'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import type { BackgroundProcess, BackgroundProcesses } from './background-processes.ts'

const MOST_WAIT_MS = 60_000

const input = z.object({
  id: z.string().min(1).max(20).describe('As it was returned when the command started'),
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
      preview: { title: stop ? `Stop ${id}` : `Output of ${id}` },
    }),
    async run({ input: { id, waitMs, stop }, sessionId, signal }) {
      const found = processes.find(sessionId, id)
      if (found === undefined) {
        const known = processes.list(sessionId)
        const others = known.length === 0 ? 'Nothing runs in the background.' : `There is: ${known.join(', ')}.`
        throw new Error(`no command is named ${id}. ${others}`)
      }
      if (stop) await found.stop()
      else await found.wait({ for: 'news', ms: waitMs, signal })
      // The call that started it is over, so that it cannot be offered outside of the sandbox.
      const { blocked: _blocked, ...look } = describeLook(found)
      return look
    },
  })
}

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

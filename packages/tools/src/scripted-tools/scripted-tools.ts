import type { Clock, Tool } from '@polylogue/engine'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'

const LONGEST_WAIT_MS = 10 * 60_000

/** The tools of the agent `scripted`: one answers, one fails, one is slow, one is hidden. */
export function createScriptedTools({ clock }: { readonly clock: Clock }): readonly Tool[] {
  const message = z.object({ msg: z.string() })
  return [
    defineTool({
      name: 'echo',
      description: 'Returns msg.',
      input: message,
      effect: 'readonly',
      run: ({ input }) => input.msg,
    }),
    defineTool({
      name: 'boom',
      description: 'Always fails.',
      input: z.object({}),
      effect: 'readonly',
      run: () => {
        throw new Error('boom')
      },
    }),
    defineTool({
      name: 'slow',
      description: 'Waits for ms milliseconds.',
      input: z.object({ ms: z.number().int().min(0).max(LONGEST_WAIT_MS) }),
      effect: 'readonly',
      run: async ({ input, signal }) => {
        await wait(clock, input.ms, signal)
        return `waited ${input.ms} ms`
      },
    }),
    defineTool({
      name: 'hidden',
      description: 'Returns msg. Clients are not told about it.',
      input: message,
      effect: 'readonly',
      exposed: false,
      run: ({ input }) => input.msg,
    }),
  ]
}

function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const cancelled = new Error('cancelled')
  if (signal.aborted) return Promise.reject(cancelled)
  return new Promise((resolve, reject) => {
    const cancel = (): void => {
      timer.cancel()
      reject(cancelled)
    }
    const timer = clock.setTimer(ms, () => {
      signal.removeEventListener('abort', cancel)
      resolve()
    })
    signal.addEventListener('abort', cancel, { once: true })
  })
}

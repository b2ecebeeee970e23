import { setTimeout as delay } from 'node:timers/promises'

/** Why a running command was stopped. */
export type StopReason =
  | 'cancelled'
  | 'time-limit'
  | 'output-limit'
  | 'memory-limit'
  | 'process-limit'
  | 'terminal-lost'

export async function timeLimit(ms: number, over: AbortSignal): Promise<'time-limit'> {
  await delay(ms, undefined, { signal: over }).catch(() => undefined)
  return 'time-limit'
}

export function abortOf(signal: AbortSignal, over: AbortSignal): Promise<'cancelled'> {
  return new Promise((resolve) => {
    const cancel = () => resolve('cancelled')
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true, signal: over })
  })
}

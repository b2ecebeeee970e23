import type { Clock, Timer } from '@polylogue/engine'
import { NO_TIMEOUT } from './mcp-limits.ts'
import type { OpenClient } from './open-client.ts'
import { startTimeLimit } from './time-limit.ts'
import { unlessAborted } from './unless-aborted.ts'

export interface IdleCheckOptions {
  readonly clock: Clock
  readonly open: OpenClient
  readonly isBusy: () => boolean
  readonly onSilence: (problem: unknown) => void
}

const PING_EVERY_MS = 30_000
const PING_MS = 10_000

/**
 * A server that is idle may have gone without a word, so it is asked now and then. One that works on a call is left
 * alone: it may have no time to answer, and the call has its own deadline. Returns what ends it.
 */
export function startIdleCheck({ clock, open, isBusy, onSilence }: IdleCheckOptions): () => void {
  const ending = new AbortController()
  let timer: Timer | undefined
  const schedule = (): void => {
    if (!ending.signal.aborted) timer = clock.setTimer(PING_EVERY_MS, () => void check())
  }
  schedule()
  return () => {
    timer?.cancel()
    ending.abort(new Error('no longer asked'))
  }

  async function check(): Promise<void> {
    // The newest protocol has no such request.
    if (isBusy() || open.client.getProtocolEra() !== 'legacy') return schedule()
    const limit = startTimeLimit(clock, { ms: PING_MS, problem: 'it no longer answers', signal: ending.signal })
    try {
      await unlessAborted(open.client.ping({ signal: limit.signal, timeout: NO_TIMEOUT }), limit.signal)
    } catch (error) {
      if (ending.signal.aborted) return
      // Whoever refuses to be asked is there.
      if (!open.isAnswer(error) && !isBusy()) return onSilence(error)
    } finally {
      limit.cancel()
    }
    schedule()
  }
}

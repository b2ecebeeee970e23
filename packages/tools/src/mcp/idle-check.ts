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
 * Pings an idle server from time to time, because it may be gone. A server that works on a call is not pinged: it may
 * be too busy to answer, and the call has its own deadline. Returns a function that stops this.
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
    // The newest protocol has no ping.
    if (isBusy() || open.client.getProtocolEra() !== 'legacy') return schedule()
    const limit = startTimeLimit(clock, { ms: PING_MS, problem: 'it no longer answers', signal: ending.signal })
    try {
      await unlessAborted(open.client.ping({ signal: limit.signal, timeout: NO_TIMEOUT }), limit.signal)
    } catch (error) {
      if (ending.signal.aborted) return
      // A refusal shows that the server is there.
      if (!open.isAnswer(error) && !isBusy()) return onSilence(error)
    } finally {
      limit.cancel()
    }
    schedule()
  }
}

import type { Attachment, Clock, Recorded, SessionId, UserId } from '@polylogue/engine'
import type { ConsoleDeps } from './deps.ts'

const PAGE = 500
/** Shorter than the 30 s after which the most impatient proxies close a silent connection. */
const HEARTBEAT_MS = 15_000

/** `caught-up`: nothing more is recorded now. `silence`: a while has passed without anything. */
export type LogStep =
  | { readonly type: 'recorded'; readonly recorded: Recorded }
  | { readonly type: 'caught-up' | 'silence' }

export interface FollowedLog {
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly after: number
  /** Ends the reading. */
  readonly signal: AbortSignal
}

type FollowDeps = Pick<ConsoleDeps, 'engine' | 'events' | 'reads'> & { readonly clock: Clock }

/**
 * Reads a log from a place on and waits for what is recorded later. Nothing is read before the reader wants it, and a page that it
 * has not taken counts as a large answer.
 */
export async function* followLog(
  { engine, events, reads, clock }: FollowDeps,
  { userId, sessionId, after, signal }: FollowedLog,
): AsyncGenerator<LogStep> {
  const { lastSeq } = await engine.readSession(userId, sessionId)
  let isOver = false
  let hasNews = true
  let wake = (): void => undefined
  const end = (): void => {
    isOver = true
    wake()
  }
  const attachment: Attachment = await engine.attach(userId, sessionId, {
    after: { seq: lastSeq },
    reader: {
      recorded() {
        hasNews = true
        wake()
      },
      delta: () => undefined,
      closed: end,
    },
  })
  signal.addEventListener('abort', end)
  const wait = async (): Promise<'news' | 'silence'> => {
    const { promise, resolve } = Promise.withResolvers<'news' | 'silence'>()
    wake = () => resolve('news')
    const timer = clock.setTimer(HEARTBEAT_MS, () => resolve('silence'))
    if (hasNews || isOver) resolve('news')
    return promise.finally(() => timer.cancel())
  }
  try {
    for (let seq = after; !isOver && !signal.aborted;) {
      hasNews = false
      const before = seq
      const leave = await reads.begin(userId, signal)
      try {
        for (const recorded of await events.readEvents(sessionId, seq, PAGE)) {
          seq = recorded.seq
          yield { type: 'recorded', recorded }
        }
      } finally {
        leave()
      }
      if (seq > before) continue
      yield { type: 'caught-up' }
      while ((await wait()) === 'silence' && !isOver) yield { type: 'silence' }
    }
  } finally {
    signal.removeEventListener('abort', end)
    attachment.detach()
  }
}

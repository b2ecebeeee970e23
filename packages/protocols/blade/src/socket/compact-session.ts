import type { CommandResults, Engine, EventOf, SessionId, UserId } from '@polylogue/engine'
import { SocketRefusal } from './errors.ts'

/** Resolves when the compaction has ended and its events were sent. */
export async function compactSession(
  engine: Pick<Engine, 'execute' | 'attach'>,
  userId: UserId,
  sessionId: SessionId,
): Promise<void> {
  const { seq }: CommandResults['compact-session'] = await engine.execute({
    type: 'compact-session',
    userId,
    sessionId,
  })
  const ended = Promise.withResolvers<EventOf<'compaction.ended'>>()
  const attachment = await engine.attach(
    userId,
    sessionId,
    { seq },
    {
      recorded({ event }) {
        if (event.type === 'compaction.ended') ended.resolve(event)
      },
      delta: () => undefined,
      closed: () => ended.reject(new SocketRefusal('compaction_failed', 'The session has been closed.')),
    },
  )
  try {
    const { outcome, error } = await ended.promise
    if (outcome === 'completed') return
    const code = error?.code === 'nothing-to-compact' ? 'nothing_to_compact' : 'compaction_failed'
    throw new SocketRefusal(code, error?.message ?? 'There is no summary.')
  } finally {
    attachment.detach()
  }
}

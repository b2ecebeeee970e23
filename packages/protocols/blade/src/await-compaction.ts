import type { CommandResults, Engine, EventOf, SessionId, SessionReader, UserId } from '@polylogue/engine'

/** The session that is compacted, and the error of a session that closes before the end. */
export interface CompactionRequest {
  readonly userId: UserId
  readonly sessionId: SessionId
  toError(reason: Parameters<SessionReader['closed']>[0]): Error
}

/** Compacts a session. Resolves when the compaction has ended and its events were sent. */
export async function awaitCompaction(
  engine: Pick<Engine, 'execute' | 'attach'>,
  { userId, sessionId, toError }: CompactionRequest,
): Promise<EventOf<'compaction.ended'>> {
  const { seq }: CommandResults['compact-session'] = await engine.execute({
    type: 'compact-session',
    userId,
    sessionId,
  })
  const ended = Promise.withResolvers<EventOf<'compaction.ended'>>()
  const attachment = await engine.attach(userId, sessionId, {
    after: { seq },
    reader: {
      recorded({ event }) {
        if (event.type === 'compaction.ended') ended.resolve(event)
      },
      delta: () => undefined,
      closed: (reason) => ended.reject(toError(reason)),
    },
  })
  try {
    return await ended.promise
  } finally {
    attachment.detach()
  }
}

import type { Engine, EventOf, SessionId, UserId } from '@polylogue/engine'
import { awaitCompaction } from '../await-compaction.ts'
import { Refusal, noSuchSession } from './refusal.ts'

/** Resolves when the summary has replaced the conversation for the model. */
export async function compactSession(
  engine: Pick<Engine, 'execute' | 'attach'>,
  userId: UserId,
  sessionId: SessionId,
): Promise<EventOf<'compaction.ended'>> {
  const event = await awaitCompaction(engine, {
    userId,
    sessionId,
    toError: (reason) =>
      reason === 'deleted' ? noSuchSession() : new Refusal(503, 'The server is shutting down.', { retryAfterS: 2 }),
  })
  if (event.outcome === 'completed') return event
  if (event.error?.code === 'nothing-to-compact') throw new Refusal(409, 'There is nothing to compact.')
  const status = event.error?.code === 'summary-too-long' ? 409 : 502
  throw new Refusal(status, `The session was not compacted: ${event.error?.message ?? 'the model gave no summary'}`)
}

import type { Engine, SessionId, UserId } from '@polylogue/engine'
import { awaitCompaction } from '../await-compaction.ts'
import { SocketRefusal } from './errors.ts'

/** Resolves when the compaction has ended and its events were sent. */
export async function compactSession(
  engine: Pick<Engine, 'execute' | 'attach'>,
  userId: UserId,
  sessionId: SessionId,
): Promise<void> {
  const { outcome, error } = await awaitCompaction(engine, {
    userId,
    sessionId,
    toError: () => new SocketRefusal('compaction_failed', 'The session has been closed.'),
  })
  if (outcome === 'completed') return
  const code = error?.code === 'nothing-to-compact' ? 'nothing_to_compact' : 'compaction_failed'
  throw new SocketRefusal(code, error?.message ?? 'There is no summary.')
}

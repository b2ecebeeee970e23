import type { Engine, SessionId, UserId } from '@polylogue/engine'
import type { Describe } from '../projection/scene.ts'
import { SessionProjection } from '../projection/session-projection.ts'
import type { TurnProjection } from '../wire.ts'

/** Every turn of a session as it stands now, also of one that somebody shares. */
export async function readTurns(
  { engine, describe }: { readonly engine: Pick<Engine, 'attach'>; readonly describe: Describe },
  userId: UserId,
  sessionId: SessionId,
): Promise<readonly TurnProjection[]> {
  const projection = new SessionProjection(describe)
  const attachment = await engine.attach(
    userId,
    sessionId,
    { seq: 0 },
    {
      recorded: (recorded) => void projection.apply(recorded),
      delta: (delta) => void projection.delta(delta),
      closed: () => undefined,
    },
    'guest',
  )
  attachment.detach()
  projection.settle()
  return projection.turns
}

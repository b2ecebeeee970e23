import type { Engine, ReadAs, SessionId, UserId } from '@polylogue/engine'
import type { TurnProjection } from '../wire.ts'
import type { Describe } from './scene.ts'
import { SessionProjection } from './session-projection.ts'

export interface TurnsAsked {
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly as?: ReadAs
}

/** All turns of a session as they are now, with the text so far of those that stream. */
export async function readTurns(
  engine: Pick<Engine, 'attach'>,
  { userId, sessionId, as = 'owner' }: TurnsAsked,
  describe: Describe,
): Promise<readonly TurnProjection[]> {
  const projection = new SessionProjection(describe)
  const reader = {
    recorded: (recorded: Parameters<SessionProjection['apply']>[0]) => void projection.apply(recorded),
    delta: (delta: Parameters<SessionProjection['delta']>[0]) => {
      projection.settle()
      projection.delta(delta)
    },
    closed: () => undefined,
  }
  const attachment = await engine.attach(userId, sessionId, { seq: 0 }, reader, as)
  attachment.detach()
  projection.settle()
  return projection.turns
}

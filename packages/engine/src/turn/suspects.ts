import type { Clock } from '../ports/clock.ts'
import type { OpenSession } from '../session/open-session.ts'

/**
 * A turn that has run this long since its takeover did not kill the server: a blocked event loop would not fire this
 * timer.
 */
const PROBATION_MS = 30_000

/**
 * The sessions whose turns were already taken over once from a dead process. One of them may be what kills the server.
 * The most recent takeover comes first, because it ran last.
 */
export function findSuspects(sessions: readonly OpenSession[]): readonly OpenSession[] {
  const isSuspect = ({ state: { turn } }: OpenSession): boolean =>
    turn !== undefined && turn.takeovers > 0 && turn.isHandedOver !== true
  const takenOverAt = ({ state: { turn } }: OpenSession): number => turn?.takenOverAt ?? 0
  return sessions.filter(isSuspect).sort((one, other) => takenOverAt(other) - takenOverAt(one))
}

/**
 * Takes over the suspects one at a time. If one of them kills the server again, only its takeover is counted. So only
 * the guilty turn reaches the limit.
 */
export async function tryOneByOne(
  suspects: readonly OpenSession[],
  clock: Clock,
  takeOver: (session: OpenSession) => Promise<void>,
): Promise<void> {
  for (const session of suspects) {
    const probation = Promise.withResolvers<void>()
    const timer = clock.setTimer(PROBATION_MS, probation.resolve)
    await Promise.race([takeOver(session), probation.promise])
    timer.cancel()
  }
}

import type { Engine, Recorded, SessionId, UserId } from '@polylogue/engine'
import type { ProjectedOutput } from '../projection/projected-output.ts'
import type { Describe } from '../projection/scene.ts'
import { SessionProjection } from '../projection/session-projection.ts'

/** Reads a session's log for a client that was away. */
export interface MissedEvents {
  /**
   * What a client missed that had everything up to `after`: all that was told but patches, each turn once and as it
   * ended. Turns that stream are left out; it gets those as they are now. Reading ends here, and up to this very moment.
   */
  take(after: number): readonly ProjectedOutput[]
}

export async function readMissedEvents(
  engine: Pick<Engine, 'attach'>,
  { userId, sessionId }: { readonly userId: UserId; readonly sessionId: SessionId },
  describe: Describe,
): Promise<MissedEvents> {
  const projection = new SessionProjection(describe, { keep: 'open' })
  const told: { readonly seq: number; readonly output: ProjectedOutput }[] = []
  const keep = (seq: number, outputs: readonly ProjectedOutput[]): void => {
    for (const output of outputs) if (output.event !== 'turn:patch') told.push({ seq, output })
  }
  const attachment = await engine.attach(
    userId,
    sessionId,
    { seq: 0 },
    {
      recorded: (recorded: Recorded) => keep(recorded.seq, projection.apply(recorded)),
      delta: () => undefined,
      closed: () => undefined,
    },
  )
  return {
    take(after) {
      attachment.detach()
      keep(projection.seq, projection.settle())
      const missed = told.filter(({ seq }) => seq > after).map(({ output }) => output)
      const isLast = (output: ProjectedOutput, index: number): boolean =>
        output.event !== 'turn:end' ||
        !missed.slice(index + 1).some((later) => later.event === 'turn:end' && isSameTurn(later, output))
      return missed.filter((output, index) => output.event !== 'turn:start' && isLast(output, index))
    },
  }
}

const isSameTurn = (
  a: Extract<ProjectedOutput, { event: 'turn:end' }>,
  b: Extract<ProjectedOutput, { event: 'turn:end' }>,
): boolean => a.payload.turn_id === b.payload.turn_id

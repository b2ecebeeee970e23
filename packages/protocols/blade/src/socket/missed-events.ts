import type { Engine, Recorded, SessionId, UserId } from '@polylogue/engine'
import type { ProjectedOutput } from '../projection/projected-output.ts'
import { MarkedProjection, ProjectionMarks } from '../projection/projection-marks.ts'
import type { Describe } from '../projection/scene.ts'

/** Reads a session's log for a client that reconnects. */
export interface MissedEvents {
  /**
   * Returns the events after `after` up to now, without patches, each turn once in its final state. Streaming turns are left
   * out: the client gets their current state. Ends the reading.
   */
  take(): readonly ProjectedOutput[]
}

export interface MissedEventsDeps {
  readonly describe: Describe
  /** Absent: the log is read from its start. */
  readonly marks?: ProjectionMarks | undefined
}

export async function readMissedEvents(
  engine: Pick<Engine, 'attach'>,
  { userId, sessionId, after }: { readonly userId: UserId; readonly sessionId: SessionId; readonly after: number },
  { describe, marks = new ProjectionMarks() }: MissedEventsDeps,
): Promise<MissedEvents> {
  await marks.load(sessionId)
  const from = marks.find(sessionId, ({ projection }) => projection.seq <= after)
  const marked = new MarkedProjection({ sessionId, from }, describe, marks)
  const { projection } = marked
  // Earlier outputs are dropped: sessions may be long, and many clients may reconnect at once.
  let missed: ProjectedOutput[] = []
  const ended = new Set<string>()
  const keep = (seq: number, outputs: readonly ProjectedOutput[]): void => {
    if (seq <= after) return
    for (const output of outputs) {
      if (output.event === 'turn:patch' || output.event === 'turn:start') continue
      if (output.event === 'turn:end') {
        const { turn_id } = output.payload
        if (ended.has(turn_id)) missed = missed.filter((earlier) => !isSameTurn(earlier, output))
        ended.add(turn_id)
      }
      missed.push(output)
    }
  }
  const attachment = await engine.attach(userId, sessionId, {
    after: { seq: projection.seq },
    reader: {
      recorded: (recorded: Recorded) => keep(recorded.seq, marked.apply(recorded)),
      delta: () => undefined,
      closed: () => undefined,
    },
  })
  return {
    take() {
      attachment.detach()
      marked.save()
      keep(projection.seq, projection.settle())
      return missed
    },
  }
}

const isSameTurn = (a: ProjectedOutput, b: Extract<ProjectedOutput, { event: 'turn:end' }>): boolean =>
  a.event === 'turn:end' && a.payload.turn_id === b.payload.turn_id

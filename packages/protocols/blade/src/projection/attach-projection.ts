import type { Engine, LiveBatch, Recorded, RecordedEvent, SessionId, UserId } from '@polylogue/engine'
import { withoutRepeatedSnapshots } from './long-turns.ts'
import type { ProjectedOutput } from './projected-output.ts'
import type { Describe } from './scene.ts'
import { MarkedProjection, ProjectionMarks } from './projection-marks.ts'
import type { SessionProjection } from './session-projection.ts'

export interface ProjectionListener {
  /** Contract: must not throw. */
  told(output: ProjectedOutput): void
  /** Called after the outputs of the event, except for those that are held back. */
  recorded?(event: RecordedEvent): void
  /** The last call. */
  closed(reason: 'deleted' | 'stopping'): void
}

export interface ProjectionSource {
  readonly engine: Pick<Engine, 'attach'>
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly describe: Describe
  /** Absent: the log is read from its start. */
  readonly marks?: ProjectionMarks | undefined
}

export interface AttachedProjection {
  readonly projection: SessionProjection
  /** Sends the outputs that are held back. */
  settle(): void
  detach(): void
}

type Queued = { readonly output: ProjectedOutput } | { readonly recorded: RecordedEvent }

/** A projection that follows its session. The history is read without output. Events of one append are sent together. */
export async function attachProjection(
  { engine, userId, sessionId, describe, marks = new ProjectionMarks() }: ProjectionSource,
  listener: ProjectionListener,
): Promise<AttachedProjection> {
  await marks.load(sessionId)
  const marked = new MarkedProjection({ sessionId, from: marks.find(sessionId) }, describe, marks)
  const { projection } = marked
  let isLive = false
  let isSettling = false
  let queue: Queued[] = []
  const enqueue = (outputs: readonly ProjectedOutput[]): void => {
    if (isLive) for (const output of outputs) queue.push({ output })
  }
  const settle = (): void => {
    isSettling = false
    enqueue(projection.settle())
    const queued = queue
    queue = []
    const outputs = queued.flatMap((item) => ('output' in item ? [item.output] : []))
    const told = withoutRepeatedSnapshots(outputs).values()
    for (const item of queued) {
      if ('recorded' in item) listener.recorded?.(item.recorded)
      else listener.told(told.next().value ?? item.output)
    }
    marked.save()
  }
  const reader = {
    recorded(recorded: Recorded) {
      enqueue(marked.apply(recorded))
      if (!isLive) return
      queue.push({ recorded: recorded.event })
      if (isSettling) return
      // A microtask: it runs before any other work.
      isSettling = true
      queueMicrotask(settle)
    },
    delta(delta: Parameters<SessionProjection['delta']>[0]) {
      settle()
      projection.delta(delta)
    },
    batch(batch: LiveBatch) {
      settle()
      for (const output of projection.batch(batch)) if (isLive) listener.told(output)
    },
    closed(reason: 'deleted' | 'stopping') {
      settle()
      listener.closed(reason)
    },
  }
  const attachment = await engine.attach(userId, sessionId, { after: { seq: projection.seq }, reader })
  settle()
  isLive = true
  return { projection, settle, detach: () => attachment.detach() }
}

import type { Engine, LiveBatch, Recorded, RecordedEvent, SessionId, UserId } from '@polylogue/engine'
import type { ProjectedOutput } from './projected-output.ts'
import type { Describe } from './scene.ts'
import { SessionProjection } from './session-projection.ts'

export interface ProjectionListener {
  /** Contract: must not throw. */
  told(output: ProjectedOutput): void
  /** After what it came to was told; what is held back comes later. */
  recorded?(event: RecordedEvent): void
  /** Nothing follows. */
  closed(reason: 'deleted' | 'stopping'): void
}

export interface AttachedProjection {
  readonly projection: SessionProjection
  /** Tells what was held back. */
  settle(): void
  detach(): void
}

/** A projection that follows its session. What was before is read and not told. */
export async function attachProjection(
  engine: Pick<Engine, 'attach'>,
  { userId, sessionId }: { readonly userId: UserId; readonly sessionId: SessionId },
  describe: Describe,
  listener: ProjectionListener,
): Promise<AttachedProjection> {
  const projection = new SessionProjection(describe, { keep: 'open' })
  let isLive = false
  let isSettling = false
  const tell = (outputs: readonly ProjectedOutput[]): void => {
    if (isLive) for (const output of outputs) listener.told(output)
  }
  const settle = (): void => {
    isSettling = false
    tell(projection.settle())
  }
  const reader = {
    recorded(recorded: Recorded) {
      tell(projection.apply(recorded))
      if (isLive) listener.recorded?.(recorded.event)
      // What was recorded together is told together, before anything else gets a chance to run.
      if (!isLive || isSettling) return
      isSettling = true
      queueMicrotask(settle)
    },
    delta(delta: Parameters<SessionProjection['delta']>[0]) {
      settle()
      projection.delta(delta)
    },
    batch: (batch: LiveBatch) => tell(projection.batch(batch)),
    closed(reason: 'deleted' | 'stopping') {
      settle()
      listener.closed(reason)
    },
  }
  const attachment = await engine.attach(userId, sessionId, { seq: 0 }, reader)
  settle()
  isLive = true
  return { projection, settle, detach: () => attachment.detach() }
}

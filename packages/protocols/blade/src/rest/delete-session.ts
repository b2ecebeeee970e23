import type { Clock, Engine, SessionId, UserId } from '@polylogue/engine'

/** A tool that does not stop must not prevent the deletion. */
const STOP_MS = 5_000

/** Ends the running turn first, so that subscribers see its end. */
export async function deleteSession(
  { engine, clock }: { readonly engine: Pick<Engine, 'execute' | 'attach'>; readonly clock: Clock },
  userId: UserId,
  { sessionId, lastSeq, turnId }: { readonly sessionId: SessionId; readonly lastSeq: number; readonly turnId?: string },
): Promise<void> {
  if (turnId !== undefined) {
    const ended = Promise.withResolvers<void>()
    const attachment = await engine.attach(userId, sessionId, {
      after: { seq: lastSeq },
      reader: {
        recorded({ event }) {
          if (event.type === 'turn.ended') ended.resolve()
        },
        delta: () => undefined,
        closed: () => ended.resolve(),
      },
    })
    const timer = clock.setTimer(STOP_MS, () => ended.resolve())
    try {
      const reason = 'the session is deleted'
      const { cancelled } = await engine.execute({ type: 'cancel-turn', userId, sessionId, reason, dropQueue: true })
      if (cancelled) await ended.promise
    } finally {
      timer.cancel()
      attachment.detach()
    }
  }
  await engine.execute({ type: 'delete-session', userId, sessionId })
}

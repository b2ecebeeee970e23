import type { CommandResults, Engine, RecordedEvent, SessionId, UserId } from '@polylogue/engine'
import { Refusal, noSuchSession } from './refusal.ts'

type CompactionEnded = Extract<RecordedEvent, { type: 'compaction.ended' }>

/** Resolves when the summary has replaced the conversation for the model. */
export async function compactSession(
  engine: Pick<Engine, 'execute' | 'attach'>,
  userId: UserId,
  sessionId: SessionId,
): Promise<CompactionEnded> {
  const { seq }: CommandResults['compact-session'] = await engine.execute({
    type: 'compact-session',
    userId,
    sessionId,
  })
  const ended = Promise.withResolvers<CompactionEnded>()
  const attachment = await engine.attach(
    userId,
    sessionId,
    { seq },
    {
      recorded({ event }) {
        if (event.type === 'compaction.ended') ended.resolve(event)
      },
      delta: () => undefined,
      closed(reason) {
        const stopping = new Refusal(503, 'The server is shutting down.', { retryAfterS: 2 })
        ended.reject(reason === 'deleted' ? noSuchSession() : stopping)
      },
    },
  )
  try {
    const event = await ended.promise
    if (event.outcome === 'completed') return event
    if (event.error?.code === 'nothing-to-compact') throw new Refusal(409, 'There is nothing to compact.')
    const status = event.error?.code === 'summary-too-long' ? 409 : 502
    throw new Refusal(status, `The session was not compacted: ${event.error?.message ?? 'the model gave no summary'}`)
  } finally {
    attachment.detach()
  }
}

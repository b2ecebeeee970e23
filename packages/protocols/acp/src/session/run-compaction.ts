import type { PromptResponse } from '@agentclientprotocol/sdk'
import { EngineError, type Engine, type RecordedEvent, type UserId } from '@polylogue/engine'
import type { AcpSession } from './acp-session.ts'

type CompactionEnded = Extract<RecordedEvent, { type: 'compaction.ended' }>

export interface CompactionRun {
  readonly engine: Engine
  readonly userId: UserId
  readonly session: AcpSession
  /** Ends the wait. The compaction itself continues. */
  readonly signal: AbortSignal
}

/** Runs `/compact`. The result is sent as an agent message and is not part of the history. */
export async function runCompaction({ engine, userId, session, signal }: CompactionRun): Promise<PromptResponse> {
  const { promise, resolve } = Promise.withResolvers<CompactionEnded | undefined>()
  const leave = session.listen(({ event }) => {
    if (event.type === 'compaction.ended' && event.turnId === undefined) resolve(event)
  })
  signal.addEventListener('abort', () => resolve(undefined), { once: true })
  try {
    const { seq } = await engine.execute({ type: 'compact-session', userId, sessionId: session.sessionId })
    const ended = await promise
    if (ended === undefined) return { stopReason: 'cancelled' }
    session.output.say(`compact_${seq}`, describe(ended))
    return { stopReason: 'end_turn' }
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'nothing-to-compact') throw error
    session.output.say('compact_nothing', 'There is nothing to compact yet.')
    return { stopReason: 'end_turn' }
  } finally {
    leave()
  }
}

function describe({ outcome, tokensAfter, error }: CompactionEnded): string {
  if (outcome === 'failed') return `The compaction failed: ${error?.message ?? 'the model gave no summary'}`
  return tokensAfter === undefined ? 'Compacted.' : `Compacted. The context is about ${tokensAfter} tokens now.`
}

import { NANO, type AppendRequest, type EntryId, type RecordedEvent, type SessionId } from '@polylogue/engine'
import type { Log } from '../log/log.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import { sampleLines } from './sample-lines.ts'

/** Logs and counts turns. */
export interface TurnObserver {
  appended(request: Pick<AppendRequest, 'sessionId' | 'at' | 'events' | 'usage'>): void
  /** The session is gone, or has no runner here any more. */
  deleted(sessionId: SessionId): void
}

export function createTurnObserver(
  metrics: Pick<ServerMetrics, 'turns' | 'takeovers' | 'modelSteps' | 'tokens' | 'cost'>,
  log: Log,
): TurnObserver {
  const sample = sampleLines(log)
  const [tokensIn, tokensOut] = [metrics.tokens.of({ direction: 'in' }), metrics.tokens.of({ direction: 'out' })]
  /** When each open step asked its model. */
  const asked = new Map<SessionId, Map<EntryId, number>>()
  const stepEnded = (sessionId: SessionId, stepId: EntryId, at: number): void => {
    const steps = asked.get(sessionId)
    const askedAt = steps?.get(stepId)
    if (askedAt === undefined) return
    steps?.delete(stepId)
    metrics.modelSteps.observe((at - askedAt) / 1000)
  }
  const tell = (sessionId: SessionId, event: RecordedEvent, at: number): void => {
    switch (event.type) {
      case 'step.started':
        asked.set(sessionId, (asked.get(sessionId) ?? new Map<EntryId, number>()).set(event.stepId, at))
        break
      case 'step.answered':
        // The engine's own questions ask no model.
        if (event.by === 'engine') asked.get(sessionId)?.delete(event.stepId)
        stepEnded(sessionId, event.stepId, at)
        break
      case 'step.ended':
        stepEnded(sessionId, event.stepId, at)
        break
      case 'turn.taken-over':
        metrics.takeovers.add()
        log.warn({ sessionId, turnId: event.turnId, count: event.count }, 'a turn was taken over')
        break
      case 'turn.ended': {
        const { turnId, outcome, error } = event
        asked.delete(sessionId)
        metrics.turns.add({ outcome })
        const fields = () => ({ sessionId, turnId, outcome, ...(error && { code: error.code }) })
        if (outcome === 'finished') sample.info(fields, 'a turn ended')
        else log.info(fields(), 'a turn ended')
        break
      }
      default:
    }
  }
  return {
    appended({ sessionId, at, events, usage = [] }) {
      for (const event of events) tell(sessionId, event, at)
      for (const { usage: took } of usage) {
        if (took === undefined) continue
        tokensIn.add(took.inputTokens)
        tokensOut.add(took.outputTokens)
        if (took.cost) metrics.cost.add({ currency: took.cost.currency }, took.cost.nano / NANO)
      }
    },
    deleted: (sessionId) => void asked.delete(sessionId),
  }
}

import type { AppendRequest, Clock, EventStore, SessionId, Storage } from '@polylogue/engine'
import type { Log } from '../log/log.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import type { SessionTools } from '../session-tools/session-tools.ts'
import { createFaultLog } from './fault-log.ts'
import { observeStore } from './observed-store.ts'
import type { RunningTurns } from './running-turns.ts'
import { addTraceIds } from './traced-log.ts'
import type { Tracing } from './tracing.ts'
import { createTurnObserver } from './turn-observer.ts'
import { createWalWatch } from './wal-watch.ts'

export interface WatchStoreDeps {
  readonly metrics: ServerMetrics
  readonly turns: RunningTurns
  readonly sessionTools: Pick<SessionTools, 'appended'>
  readonly storage: Pick<Storage, 'describe'>
  readonly clock: Clock
  readonly log: Log
  readonly tracing?: Tracing
}

/** The same store. Metrics, running turns, session tools and the log learn from it what happens. */
export function watchStore(store: EventStore, deps: WatchStoreDeps): EventStore {
  const { metrics, turns, sessionTools, storage, clock, log, tracing } = deps
  const observers = [turns, createTurnObserver(metrics, tracing === undefined ? log : addTraceIds(log))]
  const faults = createFaultLog(log, clock)
  const wal = createWalWatch({ log, clock, walBytes: async () => (await storage.describe()).logBytes })
  const left = (sessionId: SessionId): void => {
    for (const observer of observers) observer.deleted(sessionId)
    tracing?.ended(sessionId)
  }
  return observeStore(store, {
    appended(request, seconds) {
      faults.worked()
      metrics.appends.observe(seconds)
      const news = withoutCopies(request)
      for (const observer of observers) observer.appended(news)
      sessionTools.appended(news)
      tracing?.appended(news, seconds)
    },
    deleted: left,
    released: left,
    lost: left,
    committed(writes) {
      metrics.commitSize.observe(writes)
      void wal.committed()
    },
    fault(fault) {
      metrics.storageFaults.add({ kind: fault.kind })
      faults.fault(fault)
    },
  })
}

/** The turns that a fork copies ran in its parent and were counted there. */
function withoutCopies(request: AppendRequest): AppendRequest {
  const [first] = request.events
  if (first?.type !== 'session.created' || first.origin === undefined) return request
  return { ...request, events: [first, ...request.events.slice(first.origin.throughSeq)] }
}

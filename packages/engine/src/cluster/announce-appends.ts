import type { SessionId } from '../ids.ts'
import type { EventStore } from '../ports/event-store.ts'

export interface AppendListener {
  /** This process runs the session from now on. */
  claimed(sessionId: SessionId, seq: number | undefined): void
  /** This process has appended without being the runner. */
  appended(sessionId: SessionId, seq: number): void
  deleted(sessionId: SessionId): void
}

/** The same store. The listener is called after a write is durable. What a runner appends, it tells through its feed. */
export function announceAppends(store: EventStore, listener: AppendListener): EventStore {
  return {
    ...store,
    async append(request) {
      const result = await store.append(request)
      if (result.type === 'conflict' || request.events.length === 0) return result
      const { sessionId, fence } = request
      if (result.fence !== undefined) listener.claimed(sessionId, result.lastSeq)
      else if (fence === undefined && request.create === undefined) listener.appended(sessionId, result.lastSeq)
      return result
    },
    async claim(sessionId, owner, leaseMs) {
      const fence = await store.claim(sessionId, owner, leaseMs)
      if (fence !== undefined) listener.claimed(sessionId, undefined)
      return fence
    },
    async deleteSession(sessionId) {
      const isDeleted = await store.deleteSession(sessionId)
      if (isDeleted) listener.deleted(sessionId)
      return isDeleted
    },
  }
}

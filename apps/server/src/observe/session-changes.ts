import {
  readSummary,
  type EventStore,
  type RecordedEvent,
  type SessionId,
  type SessionView,
  type UserId,
} from '@polylogue/engine'

/** A list of sessions shows something else. It is on disk. */
export type SessionChange =
  | {
      readonly type: 'stored'
      readonly sessionId: SessionId
      readonly events: readonly RecordedEvent[]
      /** The session after these events. Parsed when asked for. */
      view(): SessionView
    }
  | { readonly type: 'deleted'; readonly sessionId: SessionId; readonly userId: UserId }

export interface SessionChangesHub {
  /** The same store, which all doors and schedules write to. */
  readonly store: EventStore
  /** The listener must not throw. */
  onChange(listener: (change: SessionChange) => void): void
}

/** Tells of every session that is created, listed differently or deleted, whichever door or schedule caused it. */
export function watchSessionChanges(store: EventStore): SessionChangesHub {
  const listeners: ((change: SessionChange) => void)[] = []
  const tell = (change: SessionChange): void => {
    for (const listener of listeners) listener(change)
  }
  return {
    store: {
      ...store,
      async append(request) {
        const result = await store.append(request)
        const { sessionId, events, summary } = request
        if (result.type === 'appended' && summary !== undefined) {
          tell({ type: 'stored', sessionId, events, view: () => readSummary(summary) })
        }
        return result
      },
      async deleteSession(sessionId) {
        const head = await store.readHead(sessionId)
        const isDeleted = await store.deleteSession(sessionId)
        if (isDeleted && head !== undefined) tell({ type: 'deleted', sessionId, userId: head.userId })
        return isDeleted
      },
    },
    onChange: (listener) => void listeners.push(listener),
  }
}

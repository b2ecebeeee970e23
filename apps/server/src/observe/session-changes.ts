import {
  ALL_NODES,
  asSessionId,
  readSummary,
  type BusMessage,
  type EventStore,
  type LiveBus,
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

export interface SessionChangesListener {
  /** Must not throw. */
  changed(change: SessionChange): void
  /** Whether anybody here sees the lists of this user. If not, changes on other nodes are not read. */
  shows(userId: UserId): boolean
}

export interface SessionChangesHub {
  /** The same store, which all doors and schedules write to. */
  readonly store: EventStore
  onChange(listener: SessionChangesListener): void
}

type Listed = Extract<BusMessage, { readonly type: 'listed' }>

/**
 * Tells of every session that is created, listed differently or deleted, whichever door or schedule caused it. `bus`: also
 * on other nodes.
 */
export function watchSessionChanges(store: EventStore, bus?: LiveBus): SessionChangesHub {
  const listeners: SessionChangesListener[] = []
  const tell = (change: SessionChange): void => {
    for (const listener of listeners) listener.changed(change)
  }
  let work = Promise.resolve()
  bus?.onMessage((_from, message) => {
    if (message.type !== 'listed' || !listeners.some(({ shows }) => shows(message.userId))) return
    // One after the other. A list that misses a change shows it when it is read again.
    work = work
      .then(() => readChange(store, message))
      .then((change) => change && tell(change))
      .catch(() => undefined)
  })
  return {
    store: {
      ...store,
      async append(request) {
        const result = await store.append(request)
        const { sessionId, events, summary, expectedSeq } = request
        if (result.type !== 'appended' || summary === undefined) return result
        tell({ type: 'stored', sessionId, events, view: () => readSummary(summary) })
        if (events.length > 0 && bus !== undefined) {
          const { userId } = readSummary(summary)
          bus.send(ALL_NODES, {
            type: 'listed',
            sessionId,
            userId,
            range: { after: expectedSeq, count: events.length },
          })
        }
        return result
      },
      async deleteSession(sessionId) {
        const head = await store.readHead(sessionId)
        const isDeleted = await store.deleteSession(sessionId)
        if (!isDeleted || head === undefined) return isDeleted
        tell({ type: 'deleted', sessionId, userId: head.userId })
        bus?.send(ALL_NODES, { type: 'listed', sessionId, userId: head.userId })
        return isDeleted
      },
    },
    onChange: (listener) => void listeners.push(listener),
  }
}

async function readChange(store: EventStore, message: Listed): Promise<SessionChange | undefined> {
  const { sessionId, userId, range } = message
  if (range === undefined) return { type: 'deleted', sessionId, userId }
  const recorded = await store.readEvents(sessionId, range.after, range.count)
  // Only the session itself is directly before this.
  const [row] = await store.listSessions({ userId, before: asSessionId(`${sessionId}~`), limit: 1 })
  if (row?.sessionId !== sessionId) return undefined
  return { type: 'stored', sessionId, events: recorded.map(({ event }) => event), view: () => readSummary(row.summary) }
}

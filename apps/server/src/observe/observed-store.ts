import { StorageFault, type AppendRequest, type AppendResult, type EventStore, type SessionId } from '@polylogue/engine'

/** Learns what goes through a store. Methods are called afterwards and must not throw. */
export interface StoreObserver {
  /** The append is on disk. */
  appended(request: AppendRequest, seconds: number): void
  deleted(sessionId: SessionId): void
  /** A runner of this process has given the session back: another one may take it. */
  released(sessionId: SessionId): void
  /** The session has another runner, or is gone: what becomes of its turn is recorded elsewhere. */
  lost(sessionId: SessionId): void
  /** This number of writes became durable together. */
  committed(writes: number): void
  fault(fault: StorageFault): void
}

/** The same store, observed. Writes of one commit settle together, so counting them gives the size of the commit. */
export function observeStore(store: EventStore, observer: StoreObserver): EventStore {
  let settled = 0
  const countCommit = (): void => {
    settled += 1
    if (settled > 1) return
    setImmediate(() => {
      observer.committed(settled)
      settled = 0
    })
  }
  const reportFault = (error: unknown): never => {
    if (error instanceof StorageFault) observer.fault(error)
    throw error
  }
  const watch = <T>(work: Promise<T>): Promise<T> => work.catch(reportFault)
  const write = async <T>(work: Promise<T>): Promise<T> => {
    const result = await watch(work)
    countCommit()
    return result
  }

  return {
    async append(request) {
      const startedAt = performance.now()
      let result: AppendResult
      try {
        result = await store.append(request)
      } catch (error) {
        return reportFault(error)
      }
      countCommit()
      if (result.type === 'appended') observer.appended(request, (performance.now() - startedAt) / 1000)
      else if (result.reason === 'fenced' || result.reason === 'session-gone') observer.lost(request.sessionId)
      return result
    },
    saveDrafts: (sessionId, fence, drafts) => write(store.saveDrafts(sessionId, fence, drafts)),
    async deleteSession(sessionId) {
      const isDeleted = await write(store.deleteSession(sessionId))
      if (isDeleted) observer.deleted(sessionId)
      return isDeleted
    },
    claim: (sessionId, owner, leaseMs) => write(store.claim(sessionId, owner, leaseMs)),
    async renew(owner, sessionIds, leaseMs) {
      const lost = await write(store.renew(owner, sessionIds, leaseMs))
      for (const sessionId of lost) observer.lost(sessionId)
      return lost
    },
    async release(sessionId, fence) {
      await write(store.release(sessionId, fence))
      observer.released(sessionId)
    },
    dropLeases: () => write(store.dropLeases()),

    readEvents: (sessionId, after, limit) => watch(store.readEvents(sessionId, after, limit)),
    storedBytes: (userId) => watch(store.storedBytes(userId)),
    readHead: (sessionId) => watch(store.readHead(sessionId)),
    readHeads: (sessionIds) => watch(store.readHeads(sessionIds)),
    readSnapshot: (sessionId) => watch(store.readSnapshot(sessionId)),
    readDrafts: (sessionId) => watch(store.readDrafts(sessionId)),
    findSessions: (query) => watch(store.findSessions(query)),
    listSessions: (query) => watch(store.listSessions(query)),
    findStale: (before, limit) => watch(store.findStale(before, limit)),
    findReceipt: (userId, sessionId, key) => watch(store.findReceipt(userId, sessionId, key)),
    takenNames: (sessionId, names) => watch(store.takenNames(sessionId, names)),
    readBlob: (sessionId, hash) => watch(store.readBlob(sessionId, hash)),
    readSecrets: (sessionId) => watch(store.readSecrets(sessionId)),
    wantedSessions: (limit) => watch(store.wantedSessions(limit)),
    close: () => store.close(),
  }
}

import type { EventStore } from '@polylogue/engine'

/** One process's view of a store that outlives the process. */
export interface ProcessStore extends EventStore {
  /** Simulates the death of the process: its later requests do not reach the store, and it gets no answers. */
  die(): void
  /** The same after `writes` more writes. The last one is stored, but its answer is lost. */
  dieAfterWrites(writes: number): void
  /** The same, but the last write is lost too. */
  dieBeforeWrite(writes: number): void
  readonly isDead: boolean
}

export function createProcessStore(store: EventStore): ProcessStore {
  let isDead = false
  let writesLeft = Infinity
  let isLastWriteLost = false

  const never = <T>(): Promise<T> => new Promise(() => undefined)
  const read = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (isDead) return never()
    const answer = await ask()
    return isDead ? never() : answer
  }
  const write = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (isDead) return never()
    writesLeft -= 1
    if (writesLeft <= 0) {
      isDead = true
      if (isLastWriteLost) return never()
    }
    const answer = await ask()
    return isDead ? never() : answer
  }

  return {
    append: (request) => write(() => store.append(request)),
    saveDrafts: (sessionId, fence, drafts) => write(() => store.saveDrafts(sessionId, fence, drafts)),
    deleteSession: (sessionId) => write(() => store.deleteSession(sessionId)),
    claim: (sessionId, owner, leaseMs) => write(() => store.claim(sessionId, owner, leaseMs)),
    renew: (owner, sessionIds, leaseMs) => write(() => store.renew(owner, sessionIds, leaseMs)),
    release: (sessionId, fence) => write(() => store.release(sessionId, fence)),
    dropLeases: () => write(() => store.dropLeases()),
    storedBytes: (userId) => read(() => store.storedBytes(userId)),
    readEvents: (sessionId, after, limit) => read(() => store.readEvents(sessionId, after, limit)),
    readHead: (sessionId) => read(() => store.readHead(sessionId)),
    readHeads: (sessionIds) => read(() => store.readHeads(sessionIds)),
    readSnapshot: (sessionId) => read(() => store.readSnapshot(sessionId)),
    readDrafts: (sessionId) => read(() => store.readDrafts(sessionId)),
    findSessions: (query) => read(() => store.findSessions(query)),
    listSessions: (query) => read(() => store.listSessions(query)),
    findStale: (before, limit) => read(() => store.findStale(before, limit)),
    findReceipt: (userId, sessionId, key) => read(() => store.findReceipt(userId, sessionId, key)),
    takenNames: (sessionId, names) => read(() => store.takenNames(sessionId, names)),
    readBlob: (sessionId, hash) => read(() => store.readBlob(sessionId, hash)),
    readSecrets: (sessionId) => read(() => store.readSecrets(sessionId)),
    wantedSessions: (limit) => read(() => store.wantedSessions(limit)),
    close: async () => undefined,
    die() {
      isDead = true
    },
    dieAfterWrites(writes) {
      writesLeft = writes
    },
    dieBeforeWrite(writes) {
      writesLeft = writes
      isLastWriteLost = true
    },
    get isDead() {
      return isDead
    },
  }
}

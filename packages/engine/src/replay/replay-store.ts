import type { Recorded } from '../events/recorded-event.ts'
import type { SessionId, UserId } from '../ids.ts'
import type { AppendResult, Blob, EventStore, Fence } from '../ports/event-store.ts'

/** One session in memory, which begins with events that were recorded before. */
export interface ReplayStore {
  readonly store: EventStore
  readonly events: readonly Recorded[]
  /** Appends without the engine, as another process would. */
  inject(event: Recorded): void
}

export interface ReplayedSession {
  readonly sessionId: SessionId
  readonly userId: UserId
  readonly past: readonly Recorded[]
  readBlob(hash: string): Promise<Uint8Array | undefined>
}

export function createReplayStore({ sessionId, userId, past, readBlob }: ReplayedSession): ReplayStore {
  const events: Recorded[] = [...past]
  const blobs = new Map<string, Blob>()
  const names = new Set(past.flatMap(({ event }) => (event.type === 'step.answered' ? Object.keys(event.routes) : [])))
  let epoch = 0
  const fenceOf = (owner: string): Fence => ({ owner, epoch: ++epoch })
  const head = () => ({ userId, lastSeq: events.length })

  const append: EventStore['append'] = async (request): Promise<AppendResult> => {
    await Promise.resolve()
    if (request.expectedSeq !== events.length) return { type: 'conflict', reason: 'seq-moved' }
    if (request.names?.some((name) => names.has(name)) === true) return { type: 'conflict', reason: 'name-taken' }
    for (const event of request.events) events.push({ seq: events.length + 1, at: request.at, event })
    for (const name of request.names ?? []) names.add(name)
    for (const { hash, ...blob } of request.blobs ?? []) blobs.set(hash, blob)
    const lastSeq = events.length
    return { type: 'appended', lastSeq, ...(request.claim && { fence: fenceOf(request.claim.owner) }) }
  }

  const store: EventStore = {
    append,
    readEvents: async (_id, after, limit) => events.slice(after, after + limit),
    readHead: async (id) => (id === sessionId ? head() : undefined),
    readHeads: async () => new Map([[sessionId, { lastSeq: events.length }]]),
    storedBytes: async () => 0,
    readSnapshot: async () => undefined,
    saveDrafts: async () => true,
    readDrafts: async () => [],
    listSessions: async () => [],
    findSessions: async () => ({ rows: [], total: 0 }),
    deleteSession: async () => false,
    findStale: async () => [],
    findReceipt: async () => undefined,
    takenNames: async (_id, wanted) => new Set(wanted.filter((name) => names.has(name))),
    async readBlob(_id, hash) {
      const kept = blobs.get(hash)
      if (kept !== undefined) return kept
      const bytes = await readBlob(hash)
      return bytes && { mediaType: 'application/octet-stream', bytes }
    },
    readSecrets: async () => [],
    claim: async (_id, owner) => fenceOf(owner),
    renew: async () => [],
    release: async () => undefined,
    dropLeases: async () => undefined,
    wantedSessions: async () => [],
    close: async () => undefined,
  }
  return { store, events, inject: (event) => void events.push(event) }
}

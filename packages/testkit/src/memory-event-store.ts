import {
  PAGE_BYTES,
  StorageFault,
  decodeEvent,
  encodeEvent,
  foldText,
  foldTitle,
  hasTerm,
  spokenText,
  storedBytesOf,
  toSearchTerms,
  toSearchTokens,
  type AppendRequest,
  type AppendResult,
  type Blob,
  type Clock,
  type Draft,
  type EventStore,
  type Fence,
  type LeaseClaim,
  type Receipt,
  type Recorded,
  type SealedSecret,
  type ListingQuery,
  type SessionId,
  type SessionListing,
  type Snapshot,
  type UsageStore,
  type UserId,
  type WatchedHead,
} from '@polylogue/engine'
import { createMemoryUsageStore } from './memory-usage-store.ts'

export interface MemoryEventStore extends EventStore {
  /** Makes every write reject with this fault and store nothing, until it is called with `undefined`. */
  failWrites(kind: StorageFault['kind'] | undefined): void
  /** The model calls that its appends ended. */
  readonly usage: UsageStore
}

interface StoredEvent {
  readonly seq: number
  readonly at: number
  readonly row: ReturnType<typeof encodeEvent>
}

interface StoredSession {
  readonly userId: UserId
  readonly events: StoredEvent[]
  storedBytes: number
  summary: string
  listing: (SessionListing & { readonly at: number }) | undefined
  wantedSince: number | undefined
  owner: string | undefined
  epoch: number
  leaseUntil: number
  snapshot: Snapshot | undefined
  readonly drafts: Map<string, Draft>
  readonly receipts: Map<string, Receipt>
  readonly names: Set<string>
  readonly blobs: Map<string, Blob>
  readonly secrets: Map<string, SealedSecret>
}

/**
 * An event store in memory. Events pass through the engine's codec, so that events that cannot be stored are detected.
 */
export function createMemoryEventStore({ clock }: { readonly clock: Clock }): MemoryEventStore {
  const sessions = new Map<SessionId, StoredSession>()
  const deleted = new Set<SessionId>()
  const usage = createMemoryUsageStore((sessionId) => sessions.has(sessionId))
  let fault: StorageFault['kind'] | undefined
  let isClosed = false

  /** A write takes effect asynchronously, as in a database. */
  const write = async <T>(run: () => T): Promise<T> => {
    await Promise.resolve()
    if (isClosed) throw new StorageFault('broken', 'The store is closed.')
    if (fault !== undefined) throw new StorageFault(fault, `Writes fail on purpose: ${fault}.`)
    return run()
  }

  const bytesOfUser = (userId: UserId): number =>
    [...sessions.values()].reduce((sum, session) => sum + (session.userId === userId ? session.storedBytes : 0), 0)

  const mayClaim = (session: StoredSession, owner: string): boolean => session.owner === owner || isFree(session)

  const claimFor = (session: StoredSession, { owner, leaseMs }: LeaseClaim): Fence => {
    session.owner = owner
    session.epoch += 1
    session.leaseUntil = clock.now() + leaseMs
    return { owner, epoch: session.epoch }
  }

  const isFree = ({ owner, leaseUntil }: StoredSession): boolean => owner === undefined || leaseUntil <= clock.now()

  return {
    append(request) {
      const rows = request.events.map(encodeEvent)
      return write(() => {
        if (deleted.has(request.sessionId)) return conflict('session-gone')
        const session = sessions.get(request.sessionId)
        const refusal = refusalOf(request, session, mayClaim)
        if (refusal !== undefined) return refusal
        const bytes = bytesOf(request, session, rows)
        const { room } = request
        const userId = session?.userId ?? request.create?.userId
        if (room && (session?.storedBytes ?? 0) + bytes > room.session) return conflict('session-full')
        if (room && userId && bytesOfUser(userId) + bytes > room.user) return conflict('user-full')
        const target = session ?? createSession(request)
        sessions.set(request.sessionId, target)
        target.storedBytes += bytes
        usage.keep(request)
        const lastSeq = appendTo(target, request, rows)
        if (request.release === true) target.owner = undefined
        if (request.claim === undefined) return { type: 'appended', lastSeq }
        return { type: 'appended', lastSeq, fence: claimFor(target, request.claim) }
      })
    },
    readEvents(sessionId, after, limit) {
      return read(() => {
        const events = sessions.get(sessionId)?.events ?? []
        const wanted = events.slice(Math.max(0, after), Math.max(0, after) + Math.max(0, limit))
        let size = 0
        const end = wanted.findIndex(({ row }, index) => (size += row.data.length) > PAGE_BYTES && index > 0)
        return (end === -1 ? wanted : wanted.slice(0, end)).map(toRecorded)
      })
    },
    readHead: (sessionId) =>
      read(() => {
        const session = sessions.get(sessionId)
        return session && { userId: session.userId, lastSeq: session.events.length }
      }),
    readHeads: (sessionIds) =>
      read(() => {
        const heads = sessionIds.flatMap((id): [SessionId, WatchedHead][] => {
          const session = sessions.get(id)
          if (session === undefined) return []
          const { owner, events } = session
          return [[id, { lastSeq: events.length, ...(owner !== undefined && { owner }) }]]
        })
        return new Map(heads)
      }),
    storedBytes: (userId) => read(() => bytesOfUser(userId)),
    readSnapshot: (sessionId) => read(() => sessions.get(sessionId)?.snapshot),

    saveDrafts: (sessionId, fence, drafts) =>
      write(() => {
        const session = sessions.get(sessionId)
        if (session === undefined || !holds(session, fence)) return false
        for (const draft of drafts) session.drafts.set(draftKey(draft), { ...draft, text: draft.text.toWellFormed() })
        return true
      }),
    readDrafts: (sessionId) =>
      read(() => {
        const drafts = sessions.get(sessionId)?.drafts ?? new Map<string, Draft>()
        return [...drafts.values()].sort((a, b) => compare(a.stepId, b.stepId) || a.block - b.block)
      }),

    listSessions: ({ userId, before, limit }) =>
      read(() =>
        [...sessions]
          .filter(([id, session]) => session.userId === userId && (before === undefined || id < before))
          .sort(([a], [b]) => compare(b, a))
          .slice(0, Math.max(0, limit))
          .filter(fitsPage(([, { summary }]) => summary))
          .map(([sessionId, { summary }]) => ({ sessionId, summary })),
      ),
    findSessions: ({ userId, offset, limit, order = 'pinned-first', ...wanted }) =>
      read(() => {
        const found = [...sessions]
          .flatMap(([sessionId, { userId: owner, summary, listing, events }]) =>
            owner === userId && listing !== undefined && isListed(listing, events, wanted)
              ? [{ sessionId, summary, listing }]
              : [],
          )
          .sort(
            ({ listing: a, sessionId: one }, { listing: b, sessionId: other }) =>
              (order === 'pinned-first' ? Number(b.isPinned) - Number(a.isPinned) : 0) ||
              b.at - a.at ||
              compare(other, one),
          )
        const page = found
          .slice(Math.max(0, offset), Math.max(0, offset) + Math.max(0, limit))
          .filter(fitsPage(({ summary }) => summary))
        return { rows: page.map(({ sessionId, summary }) => ({ sessionId, summary })), total: found.length }
      }),
    findStale: (before, limit) =>
      read(() =>
        [...sessions]
          .flatMap(([sessionId, { userId, listing }]) =>
            listing !== undefined && listing.at < before && !listing.isPinned
              ? [{ userId, sessionId, at: listing.at }]
              : [],
          )
          .sort((a, b) => a.at - b.at || compare(a.sessionId, b.sessionId))
          .slice(0, Math.max(0, limit))
          .map(({ userId, sessionId }) => ({ userId, sessionId })),
      ),
    deleteSession: (sessionId) =>
      write(() => {
        if (!sessions.delete(sessionId)) return false
        deleted.add(sessionId)
        return true
      }),

    findReceipt: (userId, sessionId, key) => read(() => sessions.get(sessionId)?.receipts.get(receiptKey(userId, key))),
    takenNames: (sessionId, names) =>
      read(() => new Set(names.filter((name) => sessions.get(sessionId)?.names.has(name) === true))),
    readBlob: (sessionId, hash) => read(() => sessions.get(sessionId)?.blobs.get(hash)),
    readSecrets: (sessionId) =>
      read(() => [...(sessions.get(sessionId)?.secrets.values() ?? [])].sort((a, b) => compare(a.name, b.name))),

    claim: (sessionId, owner, leaseMs) =>
      write(() => {
        const session = sessions.get(sessionId)
        return session !== undefined && mayClaim(session, owner) ? claimFor(session, { owner, leaseMs }) : undefined
      }),
    renew: (owner, sessionIds, leaseMs) =>
      write(() =>
        sessionIds.filter((sessionId) => {
          const session = sessions.get(sessionId)
          if (session === undefined || session.owner !== owner) return true
          session.leaseUntil = clock.now() + leaseMs
          return false
        }),
      ),
    release: (sessionId, fence) =>
      write(() => {
        const session = sessions.get(sessionId)
        if (session !== undefined && holds(session, fence)) session.owner = undefined
      }),
    dropLeases: () =>
      write(() => {
        for (const session of sessions.values()) session.owner = undefined
      }),
    wantedSessions: (limit) =>
      read(() =>
        [...sessions]
          .flatMap(([sessionId, session]) =>
            session.wantedSince !== undefined && isFree(session) ? [{ sessionId, since: session.wantedSince }] : [],
          )
          .sort((a, b) => a.since - b.since || compare(a.sessionId, b.sessionId))
          .slice(0, Math.max(0, limit))
          .map(({ sessionId }) => sessionId),
      ),

    async close() {
      isClosed = true
    },
    usage,
    failWrites(kind) {
      fault = kind
    },
  }

  async function read<T>(run: () => T): Promise<T> {
    await Promise.resolve()
    if (isClosed) throw new StorageFault('broken', 'The store is closed.')
    return run()
  }
}

function refusalOf(
  request: AppendRequest,
  session: StoredSession | undefined,
  mayClaim: (session: StoredSession, owner: string) => boolean,
): AppendResult | undefined {
  const { create, expectedSeq, fence, claim, receipt, names = [] } = request
  if (session === undefined) {
    if (create === undefined || expectedSeq !== 0) return conflict('session-gone')
    if (fence !== undefined) return conflict('fenced')
  } else {
    if (fence !== undefined && !holds(session, fence)) return conflict('fenced')
    if (create !== undefined || session.events.length !== expectedSeq) return conflict('seq-moved')
    if (claim !== undefined && !mayClaim(session, claim.owner)) return conflict('lease-held')
    if (receipt !== undefined && session.receipts.has(receiptKey(receipt.userId, receipt.key))) {
      return conflict('receipt-taken')
    }
  }
  const isTaken = (name: string, index: number): boolean =>
    session?.names.has(name) === true || names.indexOf(name) !== index
  return names.some(isTaken) ? conflict('name-taken') : undefined
}

function bytesOf(
  { blobs = [], secrets = [] }: AppendRequest,
  session: StoredSession | undefined,
  rows: readonly StoredEvent['row'][],
): number {
  const added = blobs.filter(({ hash }) => session?.blobs.has(hash) !== true)
  return storedBytesOf(
    { blobs: added, secrets },
    rows.map(({ data }) => Buffer.byteLength(data)),
  )
}

function createSession({ create }: AppendRequest): StoredSession {
  if (create === undefined) throw new Error('only an append with `create` makes a session')
  return {
    userId: create.userId,
    events: [],
    storedBytes: 0,
    summary: '',
    listing: undefined,
    wantedSince: undefined,
    owner: undefined,
    epoch: 0,
    leaseUntil: 0,
    snapshot: undefined,
    drafts: new Map(),
    receipts: new Map(),
    names: new Set(),
    blobs: new Map(),
    secrets: new Map(),
  }
}

function appendTo(session: StoredSession, request: AppendRequest, rows: readonly StoredEvent['row'][]): number {
  for (const row of rows) session.events.push({ seq: session.events.length + 1, at: request.at, row })
  const lastSeq = session.events.length
  session.wantedSince = request.wanted ? (session.wantedSince ?? request.at) : undefined
  if (request.summary !== undefined) session.summary = request.summary
  if (request.listing !== undefined)
    session.listing = { ...request.listing, at: request.listing.changedAt ?? request.at }
  if (request.snapshot !== undefined) session.snapshot = { seq: lastSeq, state: request.snapshot }
  if (request.receipt !== undefined) {
    const { userId, key, fingerprint, turnId, firstEvent } = request.receipt
    session.receipts.set(receiptKey(userId, key), { fingerprint, turnId, seq: request.expectedSeq + 1 + firstEvent })
  }
  for (const name of request.names ?? []) session.names.add(name)
  for (const { hash, mediaType, bytes } of request.blobs ?? []) {
    if (!session.blobs.has(hash)) session.blobs.set(hash, { mediaType, bytes: Uint8Array.from(bytes) })
  }
  for (const { name, sealed } of request.secrets ?? []) {
    session.secrets.set(name, { name, sealed: Uint8Array.from(sealed) })
  }
  for (const [key, { stepId }] of session.drafts) {
    if (request.clearDrafts?.includes(stepId) === true) session.drafts.delete(key)
  }
  return lastSeq
}

/** Keeps rows up to `PAGE_BYTES`, and at least one. */
function fitsPage<Row>(textOf: (row: Row) => string): (row: Row, index: number) => boolean {
  let size = 0
  return (row, index) => (size += textOf(row).length) <= PAGE_BYTES || index === 0
}

function isListed(
  listing: SessionListing,
  events: readonly StoredEvent[],
  { directory, text, isStarted }: Pick<ListingQuery, 'directory' | 'text' | 'isStarted'>,
): boolean {
  if (directory !== undefined && listing.directory !== directory) return false
  if (isStarted === true && !listing.isStarted) return false
  if (text === undefined) return true
  const { title = '' } = listing
  if (foldTitle(title).includes(foldText(text.trim()))) return true
  const terms = toSearchTerms(text)
  const texts = [title, ...events.map(({ row }) => spokenText(decodeEvent(row)))].map(toSearchTokens)
  return terms.length > 0 && terms.every((term) => texts.some((tokens) => hasTerm(tokens, term)))
}

const toRecorded = ({ seq, at, row }: StoredEvent): Recorded => ({ seq, at, event: decodeEvent(row) })

const holds = (session: StoredSession, fence: Fence): boolean =>
  session.owner === fence.owner && session.epoch === fence.epoch

const conflict = (reason: Extract<AppendResult, { type: 'conflict' }>['reason']): AppendResult => ({
  type: 'conflict',
  reason,
})

const receiptKey = (userId: UserId, key: string): string => JSON.stringify([userId, key])
const draftKey = ({ stepId, block }: Draft): string => JSON.stringify([stepId, block])
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

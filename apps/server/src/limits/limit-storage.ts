import type { AppendRequest, EventStore, RecordedEvent, StorageRoom } from '@polylogue/engine'

export interface StorageLimits {
  readonly sessionBytes: number
  readonly userBytes: number
}

export interface LimitStorageDeps {
  readonly limits: StorageLimits
  /** A limit refused something. */
  refused(limit: 'storage'): void
}

/** What running turns and small changes may use beyond the limit, so that a full session can still be worked with. */
const RESERVE_BYTES = 4 * 1024 * 1024

/** Without these a turn could not end. They are few and small, unless an answer of the model comes with them. */
const ENDING: ReadonlySet<RecordedEvent['type']> = new Set<RecordedEvent['type']>(['turn.ended', 'turn.taken-over'])

const ANSWER: ReadonlySet<RecordedEvent['type']> = new Set<RecordedEvent['type']>(['step.answered'])

/** What clients send in any size. */
const CONTENT: ReadonlySet<RecordedEvent['type']> = new Set<RecordedEvent['type']>([
  'session.created',
  'session.seeded',
  'input.admitted',
  'input.changed',
  'tool-call.settled',
])

/** The same store, in which no session and no user can store more than the configuration allows. */
export function limitStorage(store: EventStore, { limits, refused }: LimitStorageDeps): EventStore {
  return {
    ...store,
    async append(request) {
      const room = roomFor(request, limits)
      const result = await store.append(room === undefined ? request : { ...request, room })
      if (result.type === 'conflict' && result.reason.endsWith('-full')) refused('storage')
      return result
    },
  }
}

function roomFor({ events, fence }: AppendRequest, limits: StorageLimits): StorageRoom | undefined {
  const has = (types: ReadonlySet<RecordedEvent['type']>): boolean => events.some(({ type }) => types.has(type))
  // The first append of a fork holds ended turns, in any size.
  const isNew = events[0]?.type === 'session.created'
  if (has(ENDING) && !has(ANSWER) && !isNew) return undefined
  const isContent = fence === undefined && has(CONTENT)
  const reserve = isContent ? 0 : RESERVE_BYTES
  return { session: limits.sessionBytes + reserve, user: limits.userBytes + reserve }
}

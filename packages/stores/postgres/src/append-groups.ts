import { setTimeout as sleep } from 'node:timers/promises'
import { StorageFault, type AppendConflict, type AppendRequest, type AppendResult } from '@polylogue/engine'
import { integerIn, optionalTextIn, type Row } from '@polylogue/store-rows'
import { createAppendLane, type AppendLane, type Pending } from './append-lane.ts'
import type { Database } from './database.ts'
import { findUnlocked } from './find-unlocked.ts'
import { isCancelled, isLocked, isLost, toFault } from './postgres-fault.ts'
import { toAppendItem } from './to-append-item.ts'

/**
 * Groups concurrent appends: one statement and one commit for many sessions. When a group fails, its appends run one by
 * one, so that a bad append does not affect the others. When somebody has locked rows that a group needs, the appends that
 * need them wait in a lane of their own.
 */
export interface AppendGroups {
  append(request: AppendRequest): Promise<AppendResult>
  /** Resolves when nothing is queued or under way. */
  settled(): Promise<void>
}

type Answer = { readonly q: number; readonly p?: number } | { readonly c: AppendConflict }

const MOST_QUEUED = 4_096
const WRITERS = 2
/** For appends that wait for locked rows. Those of runners wait longer. */
const LOCKED_WRITERS = { ofRunners: 2, ofCommands: 1 }
const PATIENCE_MS = 2_000
const PAUSE_MS = 50
/**
 * The results of a runner would be lost, and no client waits for its appends. A database is started again in this time. After 15
 * seconds a process that does not reach the database stops its runners.
 */
const PATIENCE_OF_RUNNERS_MS = 12_000
/** Far longer than another append holds its rows. */
const BRIEF_LOCK_MS = 500
/** As for other statements. */
const LONG_LOCK_MS = 5_000

export function createAppendGroups(db: Database): AppendGroups {
  /** Rejects when nothing is stored, with the driver's error. */
  const storeAll = async (group: readonly Pending[], lockMs: number): Promise<void> => {
    const sorted = group.toSorted((one, other) => compare(one.item.sessionId, other.item.sessionId))
    const { answers, isRepeated } = await call(sorted, lockMs)
    await Promise.all(
      sorted.map(async (pending, index) => {
        const answer = answers[index]
        if (answer === undefined) return pending.answered.reject(new Error('An append has no answer.'))
        const result = toResult(pending.request, answer)
        const isInDoubt = isRepeated && result.type === 'conflict' && result.reason !== 'session-gone'
        try {
          pending.answered.resolve((isInDoubt ? await findStored(db, pending) : undefined) ?? result)
        } catch (error) {
          pending.answered.reject(error)
        }
      }),
    )
  }

  const storeOneByOne = async (group: readonly Pending[], error: unknown): Promise<void> => {
    if (group.length === 1 || isUnavailable(error)) for (const { answered } of group) answered.reject(toFault(error))
    else for (const pending of group) await storePatiently([pending])
  }

  const storePatiently = (group: readonly Pending[]): Promise<void> =>
    storeAll(group, LONG_LOCK_MS).catch((error: unknown) => storeOneByOne(group, error))

  /** `undefined`: somebody has locked a row, and nothing is stored. */
  const storeBriefly = async (group: readonly Pending[]): Promise<true | undefined> => {
    try {
      await storeAll(group, BRIEF_LOCK_MS)
    } catch (error) {
      if (isLocked(error)) return undefined
      await storeOneByOne(group, error)
    }
    return true
  }

  const store = async (group: readonly Pending[]): Promise<void> => {
    if (await storeBriefly(group)) return
    let isUnlocked: (pending: Pending) => boolean = () => false
    try {
      if (group.length > 1) isUnlocked = await findUnlocked(db, group)
    } catch (error) {
      return storeOneByOne(group, error)
    }
    const unlocked = group.filter(isUnlocked)
    const isStored = unlocked.length === 0 || (await storeBriefly(unlocked)) === true
    for (const pending of group) if (!isStored || !isUnlocked(pending)) laneOfLocked(pending).add(pending)
  }

  const lane = createAppendLane(WRITERS, store)
  const locked = {
    ofRunners: createAppendLane(LOCKED_WRITERS.ofRunners, storePatiently),
    ofCommands: createAppendLane(LOCKED_WRITERS.ofCommands, storePatiently),
  }
  const laneOfLocked = (pending: Pending): AppendLane => (isOfRunner(pending) ? locked.ofRunners : locked.ofCommands)

  /** After a lost connection it is unknown whether the group was stored. It is sent again, and conflicts are checked. */
  const call = async (
    group: readonly Pending[],
    lockMs: number,
  ): Promise<{ answers: readonly Answer[]; isRepeated: boolean }> => {
    const items = `[${group.map(({ item }) => item.json).join(',')}]`
    const deadline = performance.now() + (group.some(isOfRunner) ? PATIENCE_OF_RUNNERS_MS : PATIENCE_MS)
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        const text = `SELECT set_config('lock_timeout', $2, true), polylogue.append_batch($1::jsonb) AS answers`
        // What may wait for somebody's lock must not take the connections of other turns.
        const lane = lockMs > BRIEF_LOCK_MS ? 'requests' : 'turns'
        const [row] = await db.write({ name: 'append_batch', text, values: [items, String(lockMs)], lane })
        return { answers: row?.['answers'] as readonly Answer[], isRepeated }
      } catch (error) {
        // Without a connection, the error is a fault already.
        const isAway = isLost(error) || (error instanceof StorageFault && error.kind === 'busy')
        const isHeldUp = lockMs === LONG_LOCK_MS && (isLocked(error) || isCancelled(error))
        if (!(isAway || isHeldUp) || performance.now() > deadline) throw error
        await sleep(PAUSE_MS)
      }
    }
  }

  return {
    append(request) {
      if (lane.length + locked.ofRunners.length + locked.ofCommands.length >= MOST_QUEUED) {
        return Promise.reject(new StorageFault('busy', 'Too many appends wait for the database.'))
      }
      const answered = Promise.withResolvers<AppendResult>()
      lane.add({ request, item: toAppendItem(request), answered })
      return answered.promise
    },
    async settled() {
      await lane.settled()
      await Promise.all([locked.ofRunners.settled(), locked.ofCommands.settled()])
    },
  }
}

/** The result of an append whose answer was lost but whose events are in the log. */
async function findStored(db: Database, { request, item }: Pending): Promise<AppendResult | undefined> {
  const { sessionId, expectedSeq, events, at, claim } = request
  if (events.length === 0) return undefined
  const text = 'SELECT seq, at, crc FROM polylogue.read_events($1, $2, $3, $4) WHERE seq > 0'
  const values = [sessionId, expectedSeq, events.length, Number.MAX_SAFE_INTEGER]
  const rows = await db.read({ name: 'find_stored', text, values })
  const isSame = (row: Row, index: number): boolean => row['crc'] === item.checksums[index] && row['at'] === at
  if (rows.length !== events.length || !rows.every(isSame)) return undefined
  const lastSeq = expectedSeq + events.length
  if (claim === undefined) return { type: 'appended', lastSeq }
  const [lease] = await db.asSystem((query) =>
    query({ text: 'SELECT owner, epoch FROM polylogue.sessions WHERE session_id = $1', values: [sessionId] }),
  )
  if (lease === undefined || optionalTextIn(lease, 'owner') !== claim.owner) return undefined
  return { type: 'appended', lastSeq, fence: { owner: claim.owner, epoch: integerIn(lease, 'epoch') } }
}

function toResult({ claim }: AppendRequest, answer: Answer): AppendResult {
  if ('c' in answer) return { type: 'conflict', reason: answer.c }
  const fence = claim && answer.p !== undefined && { fence: { owner: claim.owner, epoch: answer.p } }
  return { type: 'appended', lastSeq: answer.q, ...fence }
}

const isOfRunner = ({ request }: Pending): boolean => request.fence !== undefined

const isUnavailable = (error: unknown): boolean => toFault(error) instanceof StorageFault

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

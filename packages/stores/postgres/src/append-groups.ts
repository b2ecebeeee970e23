import { StorageFault, type AppendConflict, type AppendRequest, type AppendResult } from '@polylogue/engine'
import { integerIn, optionalTextIn, type Row } from '@polylogue/store-rows'
import type { Database } from './database.ts'
import { isLost, toFault } from './postgres-fault.ts'
import { toAppendItem, type AppendItem } from './to-append-item.ts'

/**
 * Groups concurrent appends: one statement and one commit for many sessions. When a group fails, its appends run one by
 * one, so that a bad append does not affect the others.
 */
export interface AppendGroups {
  append(request: AppendRequest): Promise<AppendResult>
  /** Resolves when nothing is queued or under way. */
  settled(): Promise<void>
}

interface Pending {
  readonly request: AppendRequest
  readonly item: AppendItem
  readonly answered: PromiseWithResolvers<AppendResult>
}

type Answer = { readonly q: number; readonly p?: number } | { readonly c: AppendConflict }

const MOST_ITEMS = 64
const MOST_CHARS = 1024 * 1024
const MOST_QUEUED = 4_096
const WRITERS = 2
const PATIENCE_MS = 2_000

export function createAppendGroups(db: Database): AppendGroups {
  const queue: Pending[] = []
  const waiting: (() => void)[] = []
  let writers = 0
  let isScheduled = false

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    // Runs after the current tick, so that its appends share a group.
    setImmediate(() => {
      isScheduled = false
      while (queue.length > 0 && writers < WRITERS) void writeGroup(takeGroup(queue))
    })
  }

  const writeGroup = async (group: readonly Pending[]): Promise<void> => {
    writers += 1
    await store(group)
    writers -= 1
    if (queue.length > 0) schedule()
    else if (writers === 0) for (const resolve of waiting.splice(0)) resolve()
  }

  /** Never rejects. */
  const store = async (group: readonly Pending[]): Promise<void> => {
    const sorted = group.toSorted((one, other) => compare(one.item.sessionId, other.item.sessionId))
    try {
      const { answers, isRepeated } = await call(sorted)
      await Promise.all(
        sorted.map(async (pending, index) => {
          const answer = answers[index]
          if (answer === undefined) return pending.answered.reject(new Error('An append has no answer.'))
          const result = toResult(pending.request, answer)
          const isInDoubt = isRepeated && result.type === 'conflict' && result.reason !== 'session-gone'
          pending.answered.resolve((isInDoubt ? await findStored(db, pending) : undefined) ?? result)
        }),
      )
    } catch (error) {
      const [only] = group
      if (group.length === 1 || isUnavailable(error)) for (const { answered } of group) answered.reject(toFault(error))
      else if (only !== undefined) for (const pending of group) await store([pending])
    }
  }

  /** After a lost connection it is unknown whether the group was stored. It is sent again, and conflicts are checked. */
  const call = async (group: readonly Pending[]): Promise<{ answers: readonly Answer[]; isRepeated: boolean }> => {
    const items = `[${group.map(({ item }) => item.json).join(',')}]`
    const deadline = performance.now() + PATIENCE_MS
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        const text = 'SELECT polylogue.append_batch($1::jsonb) AS answers'
        const [row] = await db.write({ name: 'append_batch', text, values: [items], lane: 'turns' })
        return { answers: row?.['answers'] as readonly Answer[], isRepeated }
      } catch (error) {
        if (!isLost(error) || performance.now() > deadline) throw error
      }
    }
  }

  return {
    append(request) {
      if (queue.length >= MOST_QUEUED) {
        return Promise.reject(new StorageFault('busy', 'Too many appends wait for the database.'))
      }
      const answered = Promise.withResolvers<AppendResult>()
      queue.push({ request, item: toAppendItem(request), answered })
      schedule()
      return answered.promise
    },
    settled: () =>
      queue.length === 0 && writers === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  }
}

function takeGroup(queue: Pending[]): readonly Pending[] {
  let chars = 0
  let count = 0
  for (const { item } of queue) {
    chars += item.json.length
    if (count > 0 && (chars > MOST_CHARS || count >= MOST_ITEMS)) break
    count += 1
  }
  return queue.splice(0, count)
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

const isUnavailable = (error: unknown): boolean => toFault(error) instanceof StorageFault

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

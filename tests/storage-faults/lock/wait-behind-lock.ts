import { StorageFault, type Stores } from '@polylogue/engine'
import { openSqliteStores } from '@polylogue/store-sqlite'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { watchDatabases } from '../programs/set-pragma.ts'
import { systemClock } from '../system-clock.ts'
import { checkStored } from '../workload/check-stored.ts'
import { foldTurns, playSession } from '../workload/play-session.ts'
import { OWNER, batchesOfTurn, sessionIdOf } from '../workload/session-log.ts'
import { holdLocks } from './hold-locks.ts'

export const MANNERS = ['released', 'stopped, then released', 'stopped, then killed'] as const
export type Manner = (typeof MANNERS)[number]

export interface LockCase {
  readonly holdMs: number
  readonly manner: Manner
  readonly busyWaitMs: number
  /** Stores that wait at the same time, each for a different database. */
  readonly stores: number
  /** A setting that we do not ship, to show that the test detects its fault. */
  readonly pragma?: string
}

/** The extra time of a wait on a busy machine. */
const SLACK_MS = 3_000
/** A store that waits inside SQLite would block the event loop for the whole wait. */
const LONGEST_STALL_MS = 1_500
const FIRST_LOOK_MS = 50

/**
 * Another process holds the write lock of databases whose stores are in use. Each write waits for a bounded time and
 * then rejects as busy. Reads always work. When the lock is released, writes work again and no acknowledged data is
 * lost.
 */
export async function waitBehindLock(options: LockCase): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'polylogue-lock-'))
  const stalls = monitorEventLoopDelay({ resolution: 10 })
  const stores: Stores[] = []
  const databases = watchDatabases()
  try {
    const files = Array.from({ length: options.stores }, (_, index) => join(directory, `${index}.db`))
    for (const file of files) {
      const opened = await openSqliteStores({ file, clock: systemClock, busyWaitMs: options.busyWaitMs })
      stores.push(opened)
      if (options.pragma !== undefined) databases.setPragma(options.pragma)
      await playSession(opened.events, { session: 1, turns: 1, size: 1, stored: () => undefined })
    }
    const holder = await holdLocks('write', files)
    if (options.manner !== 'released') holder.stop()
    stalls.enable()
    // The measurement starts with the first check.
    await delay(FIRST_LOOK_MS)
    const letGo = delay(options.holdMs).then(() =>
      options.manner === 'stopped, then killed' ? holder.kill() : holder.release(),
    )
    const outcomes = await Promise.all(stores.map((opened) => writeThroughLock(opened, options)))
    await letGo
    const stallMs = stalls.max / 1e6
    return [...outcomes.flat(), ...(stallMs > LONGEST_STALL_MS ? [`the event loop stood still for ${stallMs} ms`] : [])]
  } finally {
    stalls.disable()
    for (const opened of stores) await opened.close()
    await rm(directory, { recursive: true })
  }
}

/** Repeats an append until it is stored. */
async function writeThroughLock({ events }: Stores, { holdMs, busyWaitMs }: LockCase): Promise<readonly string[]> {
  const problems: string[] = []
  const startedAt = performance.now()
  const expectedSeq = foldTurns(1, 1, 1)?.seq ?? 0
  const request = {
    sessionId: sessionIdOf(1),
    expectedSeq,
    at: 2_000,
    events: batchesOfTurn(1, 2, 1)[0]?.events ?? [],
    wanted: false,
  }
  let refusals = 0
  for (let isStored = false; !isStored;) {
    const attemptAt = performance.now()
    try {
      const result = await events.append(request)
      if (result.type === 'conflict') problems.push(`the append was refused: ${result.reason}`)
      isStored = true
    } catch (error) {
      if (!(error instanceof StorageFault) || error.kind !== 'busy')
        return [...problems, `it was told ${String(error)}`]
      refusals += 1
    }
    const attemptMs = performance.now() - attemptAt
    if (attemptMs > busyWaitMs + SLACK_MS) problems.push(`an append took ${Math.round(attemptMs)} ms`)
    if (!isStored && (await events.readEvents(sessionIdOf(1), 0, 100)).length !== expectedSeq) {
      problems.push('a read behind the lock gave something else')
    }
  }
  const waitedMs = performance.now() - startedAt
  if (waitedMs < holdMs / 2) problems.push(`the lock had no effect: stored after ${Math.round(waitedMs)} ms`)
  if (refusals === 0 && holdMs > busyWaitMs + SLACK_MS) problems.push('it waited longer than it may')
  const said = {
    acknowledged: new Map([[1, expectedSeq + 2]]),
    deleting: new Set<number>(),
    deleted: new Set<number>(),
  }
  problems.push(...(await checkStored(events, said, { sessions: 1, turns: 2, size: 1 })))
  if ((await events.listSessions({ userId: OWNER, limit: 10 })).length !== 1) problems.push('the list is wrong')
  return problems
}

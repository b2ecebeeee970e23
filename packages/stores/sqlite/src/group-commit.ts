/**
 * All writes of one turn of the event loop form a group: one transaction and one fsync.
 *
 * A write is a function that checks first and then writes, and that may be run again from the start. Its promise
 * resolves after COMMIT, which with `synchronous=FULL` returns after fsync. If the commit fails, nothing of the group
 * is stored and every promise rejects.
 *
 * After an I/O error no write is acknowledged any more: when fsync fails, the kernel may drop the pages that it could
 * not write, and the next fsync succeeds without them. A full disk is no such error; the next group tries again.
 */
import type { DatabaseSync } from 'node:sqlite'
import { StorageFault, failpoint, type Clock } from '@polylogue/engine'
import { isBusy, isLasting, storageFaultOf } from './sqlite-fault.ts'
import { nextPause, stayAlive, waitForLock } from './wait-for-lock.ts'

export type WriteKind = 'append' | 'claim' | 'drafts' | 'other'

export interface GroupCommit {
  write<T>(kind: WriteKind, run: () => T): Promise<T>
  /**
   * Runs in its own transaction and lets other writes go first for a while. For background work.
   * Rejects at once as busy when another process holds the database.
   */
  writeLater<T>(run: () => T): Promise<T>
  /** Runs at once, between groups, so it sees committed rows only. */
  read<T>(run: () => T): Promise<T>
  /** `board` is called before each group, and before the last one, for a write that is not worth its own commit. */
  takeAlong(board: (isLast: boolean) => Passenger | undefined): void
  /** For state in memory that must agree with the database. */
  accompany(companion: Companion): void
  /** Commits what is queued, then closes the database. Idempotent. */
  close(): Promise<void>
}

export interface Passenger {
  run(): void
  /** The group was committed. */
  landed(): void
}

/** Follows every transaction. Only `completing` may throw. */
export interface Companion {
  /** A transaction has begun, and nothing was written in it yet. */
  begun?(): void
  /** The writes so far have succeeded. May write in the same transaction. */
  completing?(): void
  /** The writes since the last `completing` were rolled back, or the whole transaction. */
  dropped?(): void
}

export interface GroupCommitOptions {
  readonly db: DatabaseSync
  readonly clock: Clock
  /** How long a write or read waits while another process holds the database. */
  readonly busyWaitMs: number
}

interface QueuedWrite {
  readonly kind: WriteKind
  run(): void
  resolve(): void
  reject(reason: unknown): void
  waitedMs: number
  /** Why this write failed while its group did not. */
  failure?: unknown
}

// When a process cannot write for seconds while thousands of streams run, it must refuse writes instead of piling them up.
const MOST_QUEUED = 65_536
/** The number of groups that may go before a background write. */
const MOST_AHEAD = 16

export function createGroupCommit({ db, clock, busyWaitMs }: GroupCommitOptions): GroupCommit {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const boards: ((isLast: boolean) => Passenger | undefined)[] = []
  const companions: Companion[] = []
  let queue: QueuedWrite[] = []
  const later: QueuedWrite[] = []
  let groupsAhead = 0
  let isScheduled = false
  let pauseMs = 0
  let fault: StorageFault | undefined
  let closing: Promise<void> | undefined
  let isClosed = false

  const enqueue = <T>(kind: WriteKind, run: () => T, line: QueuedWrite[] = queue): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      let outcome: T
      line.push({
        kind,
        run: () => {
          outcome = run()
        },
        resolve: () => resolve(outcome),
        reject,
        waitedMs: 0,
      })
      schedule()
    })

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(flush)
  }

  const flush = (): void => {
    isScheduled = false
    const group = queue
    queue = []
    if (fault !== undefined) {
      rejectAll([...group, ...later.splice(0)], fault)
    } else if (group.length > 0) {
      commitGroup(group)
    }
    flushLater(group.length > 0)
  }

  const flushLater = (hadGroup: boolean): void => {
    groupsAhead = hadGroup ? groupsAhead + 1 : 0
    if (!hadGroup || groupsAhead > MOST_AHEAD) {
      groupsAhead = 0
      const next = later.shift()
      if (next !== undefined) commitAlone(next)
    }
    if (later.length > 0) schedule()
  }

  const beginTransaction = (): void => {
    begin.run()
    for (const companion of companions) companion.begun?.()
  }

  const complete = (): void => {
    for (const companion of companions) companion.completing?.()
  }

  const drop = (): void => {
    for (const companion of companions) companion.dropped?.()
  }

  const commitAlone = (write: QueuedWrite): void => {
    try {
      beginTransaction()
      write.run()
      complete()
      commit.run()
    } catch (error) {
      rollBack()
      if (isLasting(error)) fault ??= toFault(error)
      return write.reject(storageFaultOf(error) ?? error)
    }
    write.resolve()
  }

  const commitGroup = (group: readonly QueuedWrite[]): void => {
    const passengers = boards.flatMap((board) => board(closing !== undefined) ?? [])
    try {
      beginTransaction()
      if (!runTogether(group, passengers)) {
        rollBack()
        passengers.length = 0
        beginTransaction()
        runApart(group)
      }
      if (group.some(({ kind }) => kind === 'append')) void failpoint('append.before-commit')
      commit.run()
    } catch (error) {
      rollBack()
      return fail(group, error)
    }
    pauseMs = 0
    for (const passenger of passengers) passenger.landed()
    settle(group)
  }

  /** `false` when one of them fails for a reason other than the storage. */
  const runTogether = (group: readonly QueuedWrite[], passengers: readonly Passenger[]): boolean => {
    try {
      for (const write of group) write.run()
      for (const passenger of passengers) passenger.run()
      complete()
      return true
    } catch (error) {
      if (storageFaultOf(error) !== undefined) throw error
      return false
    }
  }

  /** Runs each write in a savepoint, so that one that fails does not affect the others. */
  const runApart = (group: readonly QueuedWrite[]): void => {
    for (const write of group) {
      db.exec('SAVEPOINT one')
      try {
        write.run()
        complete()
      } catch (error) {
        if (storageFaultOf(error) !== undefined) throw error
        write.failure = error
        db.exec('ROLLBACK TO one')
        drop()
      }
      db.exec('RELEASE one')
    }
  }

  const rollBack = (): void => {
    drop()
    if (!db.isTransaction) return
    try {
      db.exec('ROLLBACK')
    } catch (error) {
      fault ??= storageFaultOf(error) ?? new StorageFault('broken', 'A rollback failed.', { cause: error })
    }
  }

  const settle = (group: readonly QueuedWrite[]): void => {
    const kinds = new Set(group.map(({ kind }) => kind))
    if (kinds.has('append')) void failpoint('append.after-commit')
    if (kinds.has('claim')) void failpoint('claim.after-commit')
    if (kinds.has('drafts')) void failpoint('drafts.after-commit')
    for (const write of group) {
      if ('failure' in write) write.reject(write.failure)
      else write.resolve()
    }
  }

  const fail = (group: readonly QueuedWrite[], error: unknown): void => {
    const reason = toFault(error)
    if (isLasting(error)) fault ??= reason
    if (!isBusy(error)) return rejectAll(group, reason)
    // Nothing was begun. The group goes back to the head of the queue, except writes that have waited long enough.
    rejectAll(
      group.filter(({ waitedMs }) => waitedMs >= busyWaitMs),
      reason,
    )
    queue = group.filter(({ waitedMs }) => waitedMs < busyWaitMs).concat(queue)
    if (queue.length === 0) return
    const delayMs = (pauseMs = pauseMs === 0 ? 1 : nextPause(pauseMs))
    isScheduled = true
    const leave = stayAlive()
    clock.setTimer(delayMs, () => {
      leave()
      for (const write of queue) write.waitedMs += delayMs
      flush()
    })
  }

  return {
    write(kind, run) {
      if (closing !== undefined) return Promise.reject(new StorageFault('broken', 'The store is closed.'))
      if (fault !== undefined) return Promise.reject(fault)
      if (queue.length >= MOST_QUEUED) {
        return Promise.reject(new StorageFault('busy', 'Too many writes wait for the database.'))
      }
      return enqueue(kind, run)
    },
    writeLater(run) {
      if (closing !== undefined) return Promise.reject(new StorageFault('broken', 'The store is closed.'))
      if (fault !== undefined) return Promise.reject(fault)
      return enqueue('other', run, later)
    },
    async read(run) {
      const attempt = () => {
        if (isClosed) throw new StorageFault('broken', 'The store is closed.')
        return run()
      }
      try {
        return attempt()
      } catch (error) {
        if (!isBusy(error)) throw storageFaultOf(error) ?? error
      }
      try {
        return await waitForLock(clock, busyWaitMs, attempt)
      } catch (error) {
        throw storageFaultOf(error) ?? error
      }
    },
    takeAlong(board) {
      boards.push(board)
    },
    accompany(companion) {
      companions.push(companion)
    },
    close() {
      closing ??= enqueue('other', () => {})
        .catch((error: unknown) => {
          // The writers already know. A store that cannot write can still be closed.
          if (!(error instanceof StorageFault)) throw error
        })
        .finally(() => {
          isClosed = true
          rejectAll(later.splice(0), new StorageFault('broken', 'The store is closed.'))
          db.close()
        })
      return closing
    },
  }
}

const toFault = (error: unknown): StorageFault =>
  storageFaultOf(error) ?? new StorageFault('broken', 'A commit failed.', { cause: error })

function rejectAll(group: readonly QueuedWrite[], reason: StorageFault): void {
  for (const write of group) write.reject(reason)
}

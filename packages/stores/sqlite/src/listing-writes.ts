import type { DatabaseSync } from 'node:sqlite'
import type { Clock, SessionListing, Timer } from '@polylogue/engine'
import type { Companion, GroupCommit } from './group-commit.ts'

/**
 * Writes the rows that lists filter and sort by. A changed time alone rewrites two indexes, and every append of a turn
 * changes it. So it is written at most once a second, and before a list is read. A crash loses at most the order of that
 * second: the summary of the session has the exact time.
 */
export interface ListingWrites extends Companion {
  /** Runs inside a transaction. Returns the time that is not written yet. Pass it to `note` after the commit. */
  write(sessionId: string, listed: Listed): number | undefined
  /** Call it when the append is stored. Pass `undefined` if its row is complete. */
  note(sessionId: string, listedAt: number | undefined): void
  /** Resolves when all rows are complete. */
  settle(): Promise<void>
  forget(sessionId: string): void
}

export interface Listed {
  readonly userId: string
  readonly listing: SessionListing
  readonly at: number
}

interface WrittenListing {
  readonly isPinned: boolean
  readonly isStarted: boolean
  readonly directory: string | null
  readonly title: string | null
}

const WRITTEN_AFTER_MS = 1_000
const MOST_KNOWN = 10_000
/** Rows with longer titles are written again instead of being kept in memory. */
const LONGEST_KNOWN = 500

export interface ListingWritesDeps {
  readonly db: DatabaseSync
  readonly clock: Clock
  readonly commits: GroupCommit
}

export function createListingWrites({ db, clock, commits }: ListingWritesDeps): ListingWrites {
  const upsert = db.prepare(
    `INSERT INTO listings (session_id, user_id, listed_at, is_pinned, is_started, directory, title)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (session_id) DO UPDATE SET listed_at = excluded.listed_at, is_pinned = excluded.is_pinned,
       is_started = excluded.is_started, directory = excluded.directory, title = excluded.title`,
  )
  const updateTime = db.prepare('UPDATE listings SET listed_at = ? WHERE session_id = ?')
  const known = new Map<string, WrittenListing>()
  const late = new Map<string, number>()
  let timer: Timer | undefined

  const flush = async (): Promise<void> => {
    if (late.size === 0) return
    const times = new Map(late)
    await commits.write('other', () => {
      for (const [sessionId, listedAt] of times) updateTime.run(listedAt, sessionId)
    })
    for (const [sessionId, listedAt] of times) if (late.get(sessionId) === listedAt) late.delete(sessionId)
  }

  const schedule = (): void => {
    timer ??= clock.setTimer(WRITTEN_AFTER_MS, () => {
      timer = undefined
      // Fails only if appends fail too. They report it.
      flush().catch(() => schedule())
    })
  }

  return {
    dropped: () => known.clear(),
    write(sessionId, { userId, listing, at }) {
      const { isPinned, isStarted, directory = null, title = null, changedAt = at } = listing
      const before = known.get(sessionId)
      const isSame =
        before?.isPinned === isPinned &&
        before.isStarted === isStarted &&
        before.directory === directory &&
        before.title === title
      if (isSame) return changedAt
      upsert.run(sessionId, userId, changedAt, Number(isPinned), Number(isStarted), directory, title)
      if (known.size >= MOST_KNOWN) known.clear()
      const isLong = (title?.length ?? 0) + (directory?.length ?? 0) > LONGEST_KNOWN
      if (isLong) known.delete(sessionId)
      else known.set(sessionId, { isPinned, isStarted, directory, title })
      return undefined
    },
    note(sessionId, listedAt) {
      if (listedAt === undefined) return void late.delete(sessionId)
      late.set(sessionId, listedAt)
      schedule()
    },
    async settle() {
      timer?.cancel()
      timer = undefined
      await flush()
    },
    forget(sessionId) {
      known.delete(sessionId)
      late.delete(sessionId)
    },
  }
}

import { StorageFault, toSearchTokens, type Clock, type Timer } from '@polylogue/engine'
import type { GroupCommit } from './group-commit.ts'
import type { SearchRows } from './search-rows.ts'
import type { SpokenRows } from './spoken-rows.ts'
import { isCorrupt, isUnreadable } from './sqlite-fault.ts'

/**
 * Fills the search index behind the log: in small commits of its own, with pauses between them, so that turns do not
 * notice. A mark for each session says how far the index reaches. After a crash or an upgrade, a scan finds the sessions
 * whose mark is behind their log.
 */
export interface SearchIndexer {
  /** The session has new events or another title. Called after every append, so it only takes note. */
  touch(sessionId: string): void
  /** Indexes what was appended before this call, for a bounded time. Resolves to whether the whole index is complete. */
  settle(): Promise<boolean>
  /** Removes the rows of a deleted session. */
  forget(sessionId: string): Promise<void>
  /** Empties a damaged index, which is then filled again. */
  rebuild(): Promise<void>
  close(): void
}

export interface SearchIndexerDeps {
  readonly clock: Clock
  readonly commits: GroupCommit
  readonly rows: SearchRows
  readonly spoken: SpokenRows
}

/** A piece of a session's text, and how far the index reaches with it. */
interface Piece {
  readonly sessionId: string
  readonly text: string
  readonly indexedSeq: number
}

/** When a session that waits for the index was touched. */
interface Touch {
  readonly firstAt: number
  lastAt: number
}

/** Most processes that the command line starts do not live that long. */
const START_AFTER_MS = 1_000
/** A session in use is indexed when it rests, so that many small appends are one piece of work. */
const QUIET_MS = 1_000
const LONGEST_WAIT_MS = 10_000
const RETRY_AFTER_MS = 60_000
const SHORTEST_PAUSE_MS = 50
/** Indexing takes at most a tenth of the time. */
const PAUSE_FACTOR = 9
const SETTLE_MS = 300
const CHARS_A_COMMIT = 16 * 1024
const SESSIONS_A_STEP = 64
/** Pieces of one text overlap, so that a word at the cut is whole in one of them. */
const OVERLAP = 64

export function createSearchIndexer({ clock, commits, rows, spoken }: SearchIndexerDeps): SearchIndexer {
  const fresh = new Map<string, Touch>()
  const backlog: string[] = []
  /** Sessions after this one were not scanned yet; `undefined` when all were. */
  let scanAfter: string | undefined = ''
  let timer: Timer | undefined
  let isClosed = false
  /** Why indexing has stopped. */
  let failure: unknown
  /** One step at a time, because two of them could index the same events. */
  let lastStep: Promise<unknown> = Promise.resolve()

  const isStopped = (): boolean => isClosed || failure !== undefined

  const schedule = (delayMs: number): void => {
    if (timer !== undefined || isStopped()) return
    timer = clock.setTimer(delayMs, () => {
      timer = undefined
      void work()
    })
  }

  const note = (sessionId: string): void => {
    const now = clock.now()
    const touch = fresh.get(sessionId)
    if (touch === undefined) fresh.set(sessionId, { firstAt: now, lastAt: now })
    else touch.lastAt = now
  }

  const restedSessions = (): string[] => {
    const now = clock.now()
    const rested: string[] = []
    for (const [sessionId, { firstAt, lastAt }] of fresh) {
      if (now - lastAt >= QUIET_MS || now - firstAt >= LONGEST_WAIT_MS) rested.push(sessionId)
      if (rested.length === SESSIONS_A_STEP) break
    }
    return rested
  }

  const work = async (): Promise<void> => {
    const startedAt = clock.now()
    try {
      if (await step('rested')) schedule(Math.max(SHORTEST_PAUSE_MS, PAUSE_FACTOR * (clock.now() - startedAt)))
      else if (fresh.size > 0) schedule(QUIET_MS)
    } catch (error) {
      if (error instanceof StorageFault && error.kind !== 'broken') schedule(RETRY_AFTER_MS)
      // A bug must not end the server: searches report it.
      else failure = error
    }
  }

  /** Whether there may be more to do. */
  const step = (which: 'rested' | 'all'): Promise<boolean> => {
    const next = lastStep.then(() => indexNext(which))
    lastStep = next.catch(() => undefined)
    return next
  }

  const indexNext = async (which: 'rested' | 'all'): Promise<boolean> => {
    if (isStopped()) return false
    const taken: string[] = []
    const pieces = await commits.read(() => takePieces(taken, which))
    if (taken.length === 0) return scan()
    try {
      for (const group of toGroups(pieces)) {
        const added = group.map((piece) => ({ ...piece, tokens: toSearchTokens(piece.text) }))
        await write(() => {
          for (const { sessionId, tokens, indexedSeq } of added) rows.add(sessionId, { tokens, indexedSeq })
        })
      }
    } catch (error) {
      for (const sessionId of taken) note(sessionId)
      throw error
    }
    return true
  }

  /** Takes sessions off the lists. One with more to read goes back to them. */
  const takePieces = (taken: string[], which: 'rested' | 'all'): readonly Piece[] => {
    const pieces: Piece[] = []
    const more: string[] = []
    const ready = which === 'all' ? [...fresh.keys()].slice(0, SESSIONS_A_STEP) : restedSessions()
    for (let chars = 0; taken.length < SESSIONS_A_STEP && chars < CHARS_A_COMMIT;) {
      const sessionId = ready.shift() ?? backlog.shift()
      if (sessionId === undefined) break
      fresh.delete(sessionId)
      taken.push(sessionId)
      for (const piece of readPieces(sessionId, more)) {
        pieces.push(piece)
        chars += piece.text.length
      }
    }
    // Not earlier: the mark of a session moves when its pieces are written, and it must not be read twice before.
    backlog.push(...more)
    return pieces
  }

  const readPieces = (sessionId: string, more: string[]): readonly Piece[] => {
    const session = rows.session(sessionId)
    if (session === undefined) return []
    const { lastSeq } = session
    const after = rows.mark(sessionId)?.indexedSeq ?? 0
    try {
      const { texts, throughSeq } = spoken.read(sessionId, after, lastSeq)
      if (throughSeq < lastSeq) more.push(sessionId)
      const cut = cutTexts(texts)
      // The mark moves with the last piece: after a crash the whole part is read again.
      return cut.map((text, index) => ({
        sessionId,
        text,
        indexedSeq: index === cut.length - 1 ? throughSeq : after,
      }))
    } catch (error) {
      if (error instanceof StorageFault && error.kind !== 'broken') throw error
      // A damaged event. Readers of the session get an error, and the rest of it is not indexed.
      return []
    }
  }

  const scan = async (): Promise<boolean> => {
    const after = scanAfter
    if (after === undefined) return false
    const { sessionIds, next } = await commits.read(() => rows.behind(after))
    backlog.push(...sessionIds)
    scanAfter = next
    return true
  }

  /** Damage to the index must not stop writes to the log: the index is emptied and filled again. */
  const write = async (run: () => void): Promise<void> => {
    const outcome = await commits.writeLater(() => attempt(run)).catch(toDamage)
    if (outcome === 'damaged') await empty()
  }

  const empty = async (): Promise<void> => {
    const outcome = await commits.writeLater(() => attempt(rows.clear)).catch(toDamage)
    if (outcome === 'damaged') failure = new StorageFault('broken', 'The search index is damaged.')
    fresh.clear()
    backlog.length = 0
    scanAfter = ''
    schedule(START_AFTER_MS)
  }

  schedule(START_AFTER_MS)
  return {
    touch(sessionId) {
      note(sessionId)
      schedule(START_AFTER_MS)
    },
    async settle() {
      const wanted = [...fresh.keys()]
      const isWaiting = (): boolean =>
        scanAfter !== undefined || backlog.length > 0 || wanted.some((sessionId) => fresh.has(sessionId))
      const until = clock.now() + SETTLE_MS
      try {
        // A step that began earlier may still be writing.
        await lastStep
        while (isWaiting() && clock.now() < until && (await step('all')));
      } catch (error) {
        if (!(error instanceof StorageFault)) throw error
        return false
      }
      return failure === undefined && !isWaiting()
    },
    async forget(sessionId) {
      for (let isGone = false; !isGone && failure === undefined;) {
        await write(() => {
          isGone = rows.removeSome(sessionId)
        })
      }
    },
    rebuild: empty,
    close() {
      isClosed = true
      timer?.cancel()
    },
  }
}

/** Inside a transaction, damage must not be thrown: the store would stop all writes. */
function attempt(run: () => void): 'done' | 'damaged' {
  try {
    run()
    return 'done'
  } catch (error) {
    if (isUnreadable(error)) return 'damaged'
    throw error
  }
}

/** The index writes when a transaction is committed, so damage may show only then. */
function toDamage(error: unknown): 'damaged' {
  if (isCorrupt(error)) return 'damaged'
  throw error
}

/** Each piece is a moderate amount of work. Takes at least one, so that the mark moves. */
function cutTexts(texts: readonly string[]): readonly string[] {
  const pieces: string[] = []
  let piece = ''
  for (const text of texts) {
    if (piece.length + text.length > CHARS_A_COMMIT && piece !== '') {
      pieces.push(piece)
      piece = ''
    }
    let rest = text
    while (rest.length > CHARS_A_COMMIT) {
      pieces.push(rest.slice(0, CHARS_A_COMMIT))
      rest = rest.slice(CHARS_A_COMMIT - OVERLAP)
    }
    piece += `${rest}\n`
  }
  return [...pieces, piece]
}

/** The content of one commit. */
function toGroups(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const groups: Piece[][] = []
  let chars = Infinity
  for (const piece of pieces) {
    if (chars + piece.text.length > CHARS_A_COMMIT) {
      groups.push([])
      chars = 0
    }
    groups.at(-1)?.push(piece)
    chars += piece.text.length
  }
  return groups
}

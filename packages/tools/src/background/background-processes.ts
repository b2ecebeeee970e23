import type { SessionId, ToolOutput, UserId } from '@polylogue/engine'
import { createKeptTail } from './kept-tail.ts'

/** A command that goes on after the call that started it. */
export interface BackgroundProcess {
  readonly id: string
  readonly command: string
  isRunning(): boolean
  /** What it has printed since the last look, and how it stands. */
  look(): Look
  /** Resolves when it has ended, the time is up or the signal aborts; for `news`, also when it has printed something. */
  wait(wish: Wait): Promise<void>
  /** Ends it with everything it has started. Resolves when it has ended. Idempotent. */
  stop(): Promise<void>
}

export interface Wait {
  readonly for: 'news' | 'end'
  readonly ms: number
  readonly signal: AbortSignal
}

export interface Look {
  readonly printed: string
  /** How it ended; absent while it runs. */
  readonly end?: ToolOutput
}

/** Runs the command until it ends or `signal` aborts. It never outlives `signal` for long. */
export type BackgroundRun = (signal: AbortSignal, print: (text: string) => void) => Promise<ToolOutput>

export interface BackgroundOwner {
  readonly sessionId: SessionId
  readonly userId: UserId
}

/** The commands that run in the background, by session. They end with their session and with the server. */
export interface BackgroundProcesses {
  /** Throws when the session, or its user, has as many as it may have. */
  start(owner: BackgroundOwner, command: string, run: BackgroundRun): BackgroundProcess
  find(sessionId: SessionId, id: string): BackgroundProcess | undefined
  list(sessionId: SessionId): readonly BackgroundProcess[]
  /** Ends those of a session. */
  end(sessionId: SessionId): Promise<void>
  /** Ends all of them. Nothing can be started afterwards. */
  close(): Promise<void>
}

const MOST_RUNNING = 8
/** In all sessions of a user. */
const MOST_OF_USER = 32
/** Of one session. Those that have ended are forgotten first. */
const MOST_KEPT = 32
const MOST_CHARACTERS = 64 * 1024

export function createBackgroundProcesses(): BackgroundProcesses {
  const sessions = new Map<SessionId, Map<string, BackgroundProcess>>()
  const counts = new Map<SessionId, number>()
  const ofUsers = new Map<UserId, readonly BackgroundProcess[]>()
  let isClosed = false

  return {
    start({ sessionId, userId }, command, run) {
      if (isClosed) throw new Error('the server is stopping')
      const own = sessions.get(sessionId) ?? new Map<string, BackgroundProcess>()
      const running = [...own.values()].filter((entry) => entry.isRunning())
      if (running.length >= MOST_RUNNING) {
        throw new Error(`${MOST_RUNNING} commands run in the background already: stop one of them first`)
      }
      const ofUser = (ofUsers.get(userId) ?? []).filter((entry) => entry.isRunning())
      if (ofUser.length >= MOST_OF_USER) {
        throw new Error(`${MOST_OF_USER} commands of this user run in the background already: stop one of them first`)
      }
      for (const [id, entry] of own) if (own.size >= MOST_KEPT && !entry.isRunning()) own.delete(id)
      const count = (counts.get(sessionId) ?? 0) + 1
      counts.set(sessionId, count)
      const entry = startEntry(`p${count}`, command, run)
      own.set(entry.id, entry)
      ofUsers.set(userId, [...ofUser, entry])
      sessions.set(sessionId, own)
      return entry
    },
    find: (sessionId, id) => sessions.get(sessionId)?.get(id),
    list: (sessionId) => [...(sessions.get(sessionId)?.values() ?? [])],
    async end(sessionId) {
      const own = sessions.get(sessionId)
      sessions.delete(sessionId)
      counts.delete(sessionId)
      await Promise.all([...(own?.values() ?? [])].map((entry) => entry.stop()))
    },
    async close() {
      isClosed = true
      const all = [...sessions.values()].flatMap((own) => [...own.values()])
      sessions.clear()
      ofUsers.clear()
      await Promise.all(all.map((entry) => entry.stop()))
    },
  }
}

function startEntry(id: string, command: string, run: BackgroundRun): BackgroundProcess {
  const stopping = new AbortController()
  const tail = createKeptTail(MOST_CHARACTERS)
  const readers = new Set<() => void>()
  let end: ToolOutput | undefined
  const print = (text: string): void => {
    tail.add(text)
    for (const tell of readers) tell()
  }
  const ended = run(stopping.signal, print)
    .catch((error: unknown): ToolOutput => {
      return { content: error instanceof Error ? error.message : String(error), isError: true }
    })
    .then((output) => {
      end = output
    })
  return {
    id,
    command,
    isRunning: () => end === undefined,
    look: () => ({ printed: tail.take(), ...(end && { end }) }),
    async wait({ for: wanted, ms, signal }) {
      if (end !== undefined || signal.aborted || (wanted === 'news' && tail.hasNews)) return
      const { promise: over, resolve } = Promise.withResolvers<void>()
      const tell = (): void => resolve()
      const timer = setTimeout(tell, ms)
      signal.addEventListener('abort', tell, { once: true })
      if (wanted === 'news') readers.add(tell)
      await Promise.race([over, ended])
      clearTimeout(timer)
      signal.removeEventListener('abort', tell)
      readers.delete(tell)
    },
    async stop() {
      stopping.abort(new Error('stopped'))
      await ended
    },
  }
}

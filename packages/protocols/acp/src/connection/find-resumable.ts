import type { SessionView } from '@polylogue/engine'
import type { Connection } from './connection.ts'

const PAGE = 200
/** How many sessions of a directory are searched. With more, the selector must be a full id. */
const MOST_SESSIONS = 5_000

/**
 * Finds the session to resume: by id, by the prefix of an id, by the prefix of its creation or change time, or the most
 * recently changed one. Returns `undefined` when there is none.
 */
export async function findResumable(
  connection: Connection,
  cwd: string,
  selector: string | undefined,
): Promise<SessionView | undefined> {
  const { deps } = connection
  try {
    const found = choose(await sessionsIn(connection, cwd), selector)
    const isFree = found !== undefined && !connection.sessions.has(found.sessionId)
    if (!isFree) deps.log({ level: 'warn', message: 'there is no session to resume', cwd, selector })
    return isFree ? found : undefined
  } catch (error) {
    deps.log({ level: 'warn', message: 'looking for a session to resume failed', cwd, selector, error })
    return undefined
  }
}

async function sessionsIn({ deps, options }: Connection, directory: string): Promise<readonly SessionView[]> {
  const all: SessionView[] = []
  for (let isMore = true; isMore && all.length < MOST_SESSIONS;) {
    const search = { directory, isStarted: true, offset: all.length, limit: PAGE } as const
    const { sessions, total } = await deps.engine.findSessions(options.userId, search)
    all.push(...sessions)
    isMore = sessions.length > 0 && all.length < total
  }
  return all.toSorted((a, b) => b.updatedAt - a.updatedAt)
}

function choose(newestFirst: readonly SessionView[], selector: string | undefined): SessionView | undefined {
  if (selector === undefined || selector === '') return newestFirst[0]
  const byId = newestFirst.filter(({ sessionId }) => sessionId.startsWith(selector))
  if (byId.length > 0)
    return byId.find(({ sessionId }) => sessionId === selector) ?? (byId.length === 1 ? byId[0] : undefined)
  const begins = (at: number): boolean => new Date(at).toISOString().startsWith(selector)
  return newestFirst.find(({ createdAt, updatedAt }) => begins(createdAt) || begins(updatedAt))
}

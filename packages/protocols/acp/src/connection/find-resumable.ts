import type { SessionView } from '@polylogue/engine'
import type { Connection } from './connection.ts'

const PAGE = 200
/** Whoever has more sessions in one directory names the one that is meant. */
const MOST_SESSIONS = 5_000

/**
 * The session that a client which just started goes on with: by its id, by the beginning of it, by the beginning of the
 * time when it was made or changed last, or the one that changed last. Nothing to go on with is no problem.
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
    deps.log({ level: 'warn', message: 'no session could be resumed', cwd, selector, error })
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

import type { AppendRequest, SessionHead, SessionId, UserId } from '@polylogue/engine'

/** Which sessions have a turn at work, and whose they are: a fold of what was recorded since this process began. */
export interface RunningTurns {
  readonly count: number
  /** Those of one user, and those that are just being admitted. */
  countOf(userId: UserId): number
  /** A command that starts or resumes a turn is on its way; call the answer when it is done. */
  expect(userId: UserId, sessionId?: SessionId): () => void
  appended(request: AppendRequest): void
  deleted(sessionId: SessionId): void
}

export interface RunningTurnsDeps {
  /** For turns that were taken over: nobody asked for them in this process. */
  readHead(sessionId: SessionId): Promise<SessionHead | undefined>
}

export function createRunningTurns({ readHead }: RunningTurnsDeps): RunningTurns {
  /** `undefined` while the user is still being looked up. */
  const running = new Map<SessionId, UserId | undefined>()
  const perUser = new Map<UserId, number>()
  const expected = new Map<SessionId, UserId>()
  const change = (userId: UserId | undefined, by: number): void => {
    if (userId === undefined) return
    const count = (perUser.get(userId) ?? 0) + by
    if (count > 0) perUser.set(userId, count)
    else perUser.delete(userId)
  }
  const remove = (sessionId: SessionId): void => {
    change(running.get(sessionId), -1)
    running.delete(sessionId)
  }
  const add = (sessionId: SessionId, userId: UserId | undefined): void => {
    running.set(sessionId, userId)
    change(userId, 1)
    if (userId === undefined) void lookUp(sessionId)
  }
  const lookUp = async (sessionId: SessionId): Promise<void> => {
    // A storage that cannot say it now has been reported by whoever watches it; the turn then counts for nobody.
    const head = await readHead(sessionId).catch(() => undefined)
    if (head === undefined || !running.has(sessionId) || running.get(sessionId) !== undefined) return
    running.set(sessionId, head.userId)
    change(head.userId, 1)
  }

  return {
    get count() {
      return running.size
    },
    countOf: (userId) => perUser.get(userId) ?? 0,
    expect(userId, sessionId) {
      change(userId, 1)
      if (sessionId !== undefined) expected.set(sessionId, userId)
      return () => {
        change(userId, -1)
        if (sessionId !== undefined) expected.delete(sessionId)
      }
    },
    appended({ sessionId, create, events }) {
      const isRunning = lastStatus(events)
      if (isRunning === undefined || isRunning === running.has(sessionId)) return
      if (isRunning) add(sessionId, create?.userId ?? expected.get(sessionId))
      else remove(sessionId)
    },
    deleted: remove,
  }
}

/** Whether a turn runs after these events; `undefined` = as before. */
function lastStatus(events: AppendRequest['events']): boolean | undefined {
  for (const event of events.toReversed()) {
    switch (event.type) {
      case 'turn.started':
      case 'turn.resumed':
      case 'turn.taken-over':
        return true
      case 'turn.handed-over':
      case 'turn.paused':
      case 'turn.ended':
        return false
      default:
    }
  }
  return undefined
}

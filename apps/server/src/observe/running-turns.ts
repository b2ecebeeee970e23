import type { AppendRequest, SessionHead, SessionId, UserId } from '@polylogue/engine'

/** The sessions whose turn runs in this process and their users, folded from what was recorded since it started. */
export interface RunningTurns {
  readonly count: number
  sessionIds(): readonly SessionId[]
  /** The running turns of one user, including those that are being admitted. */
  countOf(userId: UserId): number
  /** Announces a command that starts or resumes a turn. Call the returned function when it is done. */
  expect(userId: UserId, sessionId?: SessionId): () => void
  appended(request: AppendRequest): void
  /** The session is gone, or its runner is elsewhere now, or nowhere. */
  deleted(sessionId: SessionId): void
}

export interface RunningTurnsDeps {
  /** Other processes use the same storage: a turn that this one starts may run and end in another. */
  readonly isShared: boolean
  /** Finds the user of a turn that was taken over, because no command in this process named them. */
  readHead(sessionId: SessionId): Promise<SessionHead | undefined>
}

export function createRunningTurns({ isShared, readHead }: RunningTurnsDeps): RunningTurns {
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
    // The store's observer reports the fault. The turn then counts for no user.
    const head = await readHead(sessionId).catch(() => undefined)
    if (head === undefined || !running.has(sessionId) || running.get(sessionId) !== undefined) return
    running.set(sessionId, head.userId)
    change(head.userId, 1)
  }

  return {
    get count() {
      return running.size
    },
    sessionIds: () => [...running.keys()],
    countOf: (userId) => perUser.get(userId) ?? 0,
    expect(userId, sessionId) {
      change(userId, 1)
      if (sessionId !== undefined) expected.set(sessionId, userId)
      return () => {
        change(userId, -1)
        if (sessionId !== undefined) expected.delete(sessionId)
      }
    },
    appended({ sessionId, create, events, wanted, claim, fence }) {
      const isByRunner = claim !== undefined || fence !== undefined
      if (isShared && !isByRunner) return
      const isRunning = isShared ? wanted : lastStatus(events)
      if (isRunning === undefined || isRunning === running.has(sessionId)) return
      if (isRunning) add(sessionId, create?.userId ?? expected.get(sessionId))
      else remove(sessionId)
    },
    deleted: remove,
  }
}

/** Whether a turn runs after these events. `undefined`: no change. */
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

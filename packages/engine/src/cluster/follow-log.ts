import type { OpenSession } from '../session/open-session.ts'
import type { OpenSessions } from '../session/open-sessions.ts'
import type { Coordinator } from '../turn/coordinator.ts'

export interface FollowDeps {
  readonly sessions: Pick<OpenSessions, 'remove'>
  readonly coordinator: Pick<Coordinator, 'stopRunner'>
}

/** Reads what other processes have done to a session: appended, deleted it, or lost the end of its log. */
export async function followLog(session: OpenSession, { sessions, coordinator }: FollowDeps): Promise<void> {
  await session.refresh()
  if (session.isGone) coordinator.stopRunner(session.id, 'deleted')
  if (session.isGone || session.isStale) sessions.remove(session.id)
}

import type { EngineParts } from '../engine-parts.ts'
import type { OpenSessions } from '../session/open-sessions.ts'
import type { Coordinator } from '../turn/coordinator.ts'

interface RereadDeps extends Pick<EngineParts, 'log'> {
  readonly sessions: OpenSessions
  readonly coordinator: Coordinator
}

/**
 * The storage may have lost the newest commits, so no session in memory can be trusted. All readers are closed: they
 * reconnect and read the log again. Turns that ran here go on from what is left of their logs.
 */
export async function rereadSessions({ sessions, coordinator, log }: RereadDeps): Promise<void> {
  log({ level: 'warn', message: 'the database was replaced; all sessions are read again' })
  const wereRunning = sessions.list().filter(({ id }) => coordinator.isRunning(id))
  for (const session of sessions.list()) {
    coordinator.stopRunner(session.id, 'fenced')
    session.markStale()
    sessions.remove(session.id)
  }
  for (const { id: sessionId } of wereRunning) {
    try {
      const session = await sessions.find(sessionId)
      if (session !== undefined) void coordinator.restart(session)
    } catch (error) {
      // The lease is given up later, and the session is found by looking at the store.
      log({ level: 'error', message: 'a session could not be read again', sessionId, error })
    }
  }
}

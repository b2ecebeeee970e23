import type { EngineParts } from '../engine-parts.ts'
import type { SessionId, TurnId } from '../ids.ts'
import type { OpenSession } from '../session/open-session.ts'
import type { OpenSessions } from '../session/open-sessions.ts'
import type { Coordinator } from '../turn/coordinator.ts'

export interface ExecuteDeps extends EngineParts {
  readonly sessions: OpenSessions
  readonly coordinator: Coordinator
  /** Called with every session that is about to be changed. */
  meet(session: OpenSession): void
  /** Tells other processes about a cancellation that could not be recorded. */
  tellCancelled(sessionId: SessionId, turnId: TurnId, reason: string): void
}

import type { EngineParts } from '../engine-parts.ts'
import type { OpenSession } from '../session/open-session.ts'
import type { OpenSessions } from '../session/open-sessions.ts'
import type { Coordinator } from '../turn/coordinator.ts'

export interface ExecuteDeps extends EngineParts {
  readonly sessions: OpenSessions
  readonly coordinator: Coordinator
  /** Called with every session that is about to be changed. */
  meet(session: OpenSession): void
}

import type { SessionId } from '../ids.ts'
import type { Workspace } from './tool.ts'

/** Where sessions work. */
export interface Workspaces {
  /** Where the session works; nothing is made. */
  locate(session: WorkspaceOwner): Workspace
  /** Makes the session's own directory where it has one and it does not exist yet. Rejects when it cannot be had. */
  prepare(session: WorkspaceOwner): Promise<void>
  /** Removes what belongs to the session alone. Called after the session was deleted. */
  remove(sessionId: SessionId): Promise<void>
}

export interface WorkspaceOwner {
  readonly sessionId: SessionId
  readonly agent: string
  /** The directories its client named, the working directory first; none for a session with a directory of its own. */
  readonly directories: readonly string[]
}

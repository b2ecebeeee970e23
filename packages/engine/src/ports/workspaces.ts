import type { SessionId } from '../ids.ts'
import type { Workspace } from './tool.ts'

/** Where sessions work. */
export interface Workspaces {
  /** Where the session works; nothing is made, and the roots are not pinned. */
  locate(session: WorkspaceOwner): Workspace
  /**
   * Where its tools may work: makes the session's own directory if it is missing, and pins roots that this process has
   * not pinned yet. Rejects when the own directory cannot be made; a root that may not be used is a pin with a problem.
   */
  prepare(session: WorkspaceOwner): Promise<Workspace>
  /**
   * The client opens the session: its roots are whatever these directories are now. Answers with a sentence about the
   * first directory that may not be used.
   */
  open(session: WorkspaceOwner): Promise<string | undefined>
  /** Removes what belongs to the session alone. Called after the session was deleted. */
  remove(sessionId: SessionId): Promise<void>
}

export interface WorkspaceOwner {
  readonly sessionId: SessionId
  readonly agent: string
  /** The directories its client named, the working directory first; none for a session with a directory of its own. */
  readonly directories: readonly string[]
}

import type { SessionId } from '../ids.ts'
import type { Workspace } from './tool.ts'

/** The directories that sessions work in. */
export interface Workspaces {
  /** Returns the session's directories without creating any or pinning the roots. */
  locate(session: WorkspaceOwner): Workspace
  /**
   * Returns the directories that tools may use. Creates the session's own directory if it is missing, and pins the roots
   * that this process has not pinned yet. Rejects if the directory cannot be created. A root that may not be used is
   * returned as a pin with a problem.
   */
  prepare(session: WorkspaceOwner): Promise<Workspace>
  /**
   * Called when the client opens the session. Pins the roots to the directories as they are now. Returns a sentence about
   * the first directory that may not be used.
   */
  open(session: WorkspaceOwner): Promise<string | undefined>
  /**
   * Called after the session was deleted. Removes the files of the sessions in `unused`: this one and its ancestors, as
   * far as no other session shares their files. Without any: another process has deleted the session.
   */
  remove(sessionId: SessionId, unused: readonly SessionId[]): Promise<void>
}

export interface WorkspaceOwner {
  readonly sessionId: SessionId
  readonly agent: string
  /** The directories that the client named, the working directory first. Empty if the session has its own directory. */
  readonly directories: readonly string[]
  /** A forked session shares the own directory of its oldest ancestor and reads the files of all. */
  readonly origin?: { readonly ancestors: readonly SessionId[] }
}

import { EngineError } from '../errors.ts'
import { failpoint } from '../failpoint.ts'
import type { DeleteSession } from '../session/command.ts'
import type { OpenSession } from '../session/open-session.ts'
import type { ExecuteDeps } from './execute-deps.ts'
import { findUnused, forgetFork } from './fork-session.ts'

/** Delete the rows first: a runner that is still active finds its session gone and cannot record anything. */
export async function deleteSession(command: DeleteSession, deps: ExecuteDeps): Promise<Record<string, never>> {
  const session = await deps.sessions.owned(command.userId, command.sessionId)
  await failpoint('delete.before')
  if (!(await deps.store.deleteSession(session.id)))
    throw new EngineError('session-not-found', 'there is no such session')
  await failpoint('delete.after')
  session.markGone()
  deps.sessions.remove(session.id)
  deps.coordinator.stopRunner(session.id, 'deleted')
  session.feed.close('deleted')
  await removeTraces(session, deps)
  return {}
}

/** The session is gone already, so a failure here is logged and not reported. */
async function removeTraces({ id, state }: OpenSession, deps: ExecuteDeps): Promise<void> {
  try {
    await deps.workspaces.remove(id, await findUnused(state, deps.store))
  } catch (error) {
    deps.log({ level: 'warn', message: 'a workspace could not be removed', sessionId: id, error })
  }
  try {
    await forgetFork(state, deps)
  } catch (error) {
    deps.log({ level: 'warn', message: 'the parent of a deleted fork could not be updated', sessionId: id, error })
  }
}

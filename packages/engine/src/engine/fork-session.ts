import type { Recorded } from '../events/recorded-event.ts'
import { EngineError } from '../errors.ts'
import type { SessionId, TurnId } from '../ids.ts'
import type { EventStore, NewBlob, SealedSecret } from '../ports/event-store.ts'
import type { ForkSession } from '../session/command.ts'
import { decideFork } from '../session/decide-fork.ts'
import type { OpenSession } from '../session/open-session.ts'
import { storeNewSession } from '../session/store-new-session.ts'
import type { SessionState } from '../state/session-state.ts'
import { secretContext } from '../turn/build-model-request.ts'
import { readSummary } from '../views/session-list.ts'
import type { ExecuteDeps } from './execute-deps.ts'

const PAGE = 500
/** A fork is one commit, which nothing else can interrupt. */
const MOST_FORKED_BYTES = 16 * 1024 * 1024

/**
 * The parent names the child before the child is stored: a parent that did not know its child could be deleted with the
 * files that both use. After a crash in between, the parent names a session that does not exist.
 */
export async function forkSession(
  command: ForkSession,
  deps: ExecuteDeps,
): Promise<{ readonly sessionId: SessionId; readonly turnId?: TurnId }> {
  const { store } = deps
  const parent = await deps.sessions.owned(command.userId, command.sessionId)
  const childId = deps.ids.sessionId(command.userId)
  const { state } = parent
  const log = await readLog(parent, command, store)
  const { blobHashes, turnId, ...decision } = decideFork(childId, command, { state, log })
  const batch = {
    ...decision,
    blobs: await copyBlobs(parent.id, blobHashes, store),
    secrets: await copySecrets({ from: parent.id, to: childId }, deps),
  }
  await parent.commit(() => ({ events: [{ type: 'session.forked', childId, ...(turnId && { turnId }) }] }))
  try {
    const { session } = await storeNewSession({ sessionId: childId, userId: command.userId, batch }, deps)
    deps.sessions.add(session)
  } catch (error) {
    await parent.commit(() => ({ events: [{ type: 'session.fork-deleted', childId }] }))
    throw error
  }
  return { sessionId: childId, ...(turnId && { turnId }) }
}

/** The log, or as much of it as the fork copies. */
async function readLog(
  { id, state: { seq: lastSeq } }: OpenSession,
  { turnId, beforeInput }: ForkSession,
  store: EventStore,
): Promise<readonly Recorded[]> {
  const isEnd = ({ event }: Recorded): boolean =>
    event.type === 'turn.ended'
      ? event.turnId === turnId
      : event.type === 'turn.started' && beforeInput !== undefined && event.inputId === beforeInput
  const log: Recorded[] = []
  let bytes = 0
  for (let isMore = true; isMore;) {
    const page = await store.readEvents(id, log.length, PAGE)
    for (const recorded of page) {
      if (recorded.seq > lastSeq) break
      log.push(recorded)
      if (isEnd(recorded)) return log
      bytes += JSON.stringify(recorded.event).length
      if (bytes > MOST_FORKED_BYTES) throw tooLarge()
    }
    isMore = page.length > 0 && log.length < lastSeq
  }
  return log
}

const tooLarge = (): EngineError =>
  new EngineError(
    'invalid-input',
    `a fork copies at most ${MOST_FORKED_BYTES / 1024 / 1024} MiB; choose an earlier turn`,
    'sessionId',
  )

async function copyBlobs(from: SessionId, hashes: readonly string[], store: EventStore): Promise<readonly NewBlob[]> {
  const blobs: NewBlob[] = []
  let bytes = 0
  for (const hash of hashes) {
    const blob = await store.readBlob(from, hash)
    if (blob === undefined) continue
    bytes += blob.bytes.length
    if (bytes > MOST_FORKED_BYTES) throw tooLarge()
    blobs.push({ ...blob, hash })
  }
  return blobs
}

/** A sealed value opens only in its own session, so each secret is sealed again. */
async function copySecrets(
  { from, to }: { readonly from: SessionId; readonly to: SessionId },
  { store, secretBox }: ExecuteDeps,
): Promise<readonly SealedSecret[]> {
  const secrets = await store.readSecrets(from)
  return secrets.map(({ name, sealed }) => ({
    name,
    sealed: secretBox.seal(secretBox.open(sealed, secretContext(from, name)), secretContext(to, name)),
  }))
}

/** Called after a session was deleted. Its parent stops naming it. */
export async function forgetFork({ sessionId, userId, origin }: SessionState, deps: ExecuteDeps): Promise<void> {
  const parentId = origin?.ancestors.at(-1)
  if (parentId === undefined) return
  const parent = await deps.sessions.find(parentId)
  if (parent?.state.userId !== userId) return
  await parent.commit(({ forks = [] }) => ({
    events: forks.some((fork) => fork.sessionId === sessionId)
      ? [{ type: 'session.fork-deleted', childId: sessionId }]
      : [],
  }))
}

/** The sessions whose files nobody needs after `deleted` is gone: itself and its ancestors, unless a relative lives. */
export async function findUnused(deleted: SessionState, store: EventStore): Promise<readonly SessionId[]> {
  const { sessionId, userId, origin, forks } = deleted
  const unused = new Set([sessionId, ...(origin?.ancestors ?? [])])
  // A session whose forks were deleted has an empty list: forks of these may live.
  if (origin === undefined && forks === undefined) return [...unused]
  for (let before: SessionId | undefined, isMore = true; isMore;) {
    const rows = await store.listSessions({ userId, limit: PAGE, ...(before && { before }) })
    for (const { summary } of rows) {
      const living = readSummary(summary)
      for (const used of [living.sessionId, ...(living.origin?.ancestors ?? [])]) unused.delete(used)
    }
    before = rows.at(-1)?.sessionId
    isMore = rows.length > 0
  }
  return [...unused]
}

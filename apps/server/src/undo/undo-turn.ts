import { sep } from 'node:path'
import {
  unreachable,
  type Engine,
  type EventStore,
  type FileChange,
  type SessionId,
  type TurnId,
  type UserId,
  type Workspace,
  type Workspaces,
} from '@polylogue/engine'
import { ABSENT, FileProblem, type ConfinedFiles, type Restored } from '@polylogue/tools'

export interface UndoDeps {
  readonly engine: Pick<Engine, 'readSession' | 'readBlob'>
  readonly events: Pick<EventStore, 'readEvents'>
  readonly workspaces: Pick<Workspaces, 'prepare'>
  readonly files: Pick<ConfinedFiles, 'restore'>
}

const PAGE = 1000

/** A file before the first and after the last change of a turn. */
interface UndoneFile {
  readonly path: string
  /** Absent: it did not exist. */
  readonly before?: string
  readonly after: string
  /** What it was before this turn and before the turns above it, as digests. */
  readonly past: ReadonlySet<string>
}

type Outcome = Restored | 'removed' | { readonly problem: string }

/**
 * Restores the files that `Edit` and `Write` changed in the last turn whose changes are still there. A file that was
 * changed since is left as it is. Returns what became of each, for the user. Rejects when the session is not the user's.
 */
export async function undoTurn(userId: UserId, sessionId: SessionId, deps: UndoDeps): Promise<string> {
  const session = await deps.engine.readSession(userId, sessionId)
  if (session.status !== 'idle') return 'A turn is running or waits for you. End it first.'
  const turns = await readChanges(sessionId, deps)
  const workspace = await deps.workspaces.prepare(session)
  for (const changes of turns.toReversed()) {
    const outcomes = new Map<string, Outcome>()
    for (const [path, file] of changes) {
      outcomes.set(path, await restoreFile(file, { userId, sessionId, workspace, deps }))
    }
    // A turn that was undone before.
    if ([...outcomes.values()].every((outcome) => outcome === 'already')) continue
    return describe(outcomes, workspace.cwd)
  }
  return 'There is nothing to undo: no turn of this session has changed a file with Edit or Write, or all of it is undone.'
}

/** Of each turn, in order. `undefined`: the log does not hold what the file was. */
type TurnChanges = ReadonlyMap<string, UndoneFile | undefined>

async function readChanges(sessionId: SessionId, { events }: UndoDeps): Promise<readonly TurnChanges[]> {
  const turns = new Map<TurnId, Map<string, UndoneFile | undefined>>()
  const past = new Map<string, Set<string>>()
  for (let after = 0; ;) {
    const page = await events.readEvents(sessionId, after, PAGE)
    for (const { event } of page) {
      if (event.type !== 'tool-call.settled') continue
      const own = turns.get(event.turnId) ?? new Map<string, UndoneFile | undefined>()
      for (const change of event.changedFiles ?? []) {
        const states = past.get(change.path) ?? new Set()
        if (!own.has(change.path)) states.add(stateBefore(change))
        past.set(change.path, states)
        own.set(change.path, join(own, change, new Set(states)))
      }
      if (own.size > 0) turns.set(event.turnId, own)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return [...turns.values()]
    after = last.seq
  }
}

const stateBefore = ({ change, before }: FileChange): string => (change === 'created' ? ABSENT : (before ?? ''))

function join(
  own: TurnChanges,
  { path, change, before, after }: FileChange,
  past: ReadonlySet<string>,
): UndoneFile | undefined {
  const isKept = after !== undefined && (before !== undefined || change === 'created')
  if (own.has(path)) {
    const earlier = own.get(path)
    return earlier && after !== undefined ? { ...earlier, after } : undefined
  }
  return isKept ? { path, after, past, ...(before !== undefined && { before }) } : undefined
}

interface Restoring {
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly workspace: Workspace
  readonly deps: UndoDeps
}

async function restoreFile(
  file: UndoneFile | undefined,
  { userId, sessionId, workspace, deps }: Restoring,
): Promise<Outcome> {
  if (file === undefined) return { problem: 'not recorded' }
  const { path, before, after, past } = file
  const blob = before === undefined ? undefined : await deps.engine.readBlob(userId, sessionId, { hash: before })
  if (before !== undefined && blob === undefined) return { problem: 'its former text is not kept any more' }
  try {
    const restored = await deps.files.restore({ workspace, sessionId }, path, {
      from: after,
      past,
      ...(blob && { to: blob.bytes }),
    })
    return restored === 'restored' && blob === undefined ? 'removed' : restored
  } catch (error) {
    if (error instanceof FileProblem) return { problem: error.message }
    throw error
  }
}

function describe(outcomes: ReadonlyMap<string, Outcome>, cwd: string): string {
  const lines = [...outcomes].map(([path, outcome]) => `- \`${shortPath(path, cwd)}\`: ${sentenceOf(outcome)}`)
  const restored = [...outcomes.values()].filter((outcome) => outcome === 'restored' || outcome === 'removed').length
  const files = `${restored} of ${outcomes.size} ${outcomes.size === 1 ? 'file' : 'files'}`
  return [`Restored ${files} of the last turn that changed any. What commands did is not undone.`, '', ...lines].join(
    '\n',
  )
}

/** Relative to the directory of the session, if the file is in it. */
const shortPath = (path: string, cwd: string): string =>
  path.startsWith(`${cwd}${sep}`) ? path.slice(cwd.length + 1) : path

function sentenceOf(outcome: Outcome): string {
  if (typeof outcome === 'object') return `left as it is: ${outcome.problem}`
  switch (outcome) {
    case 'restored':
    case 'removed':
      return outcome
    case 'already':
      return 'is already as it was'
    case 'changed':
      return 'left as it is: it was changed since'
    default:
      return unreachable(outcome)
  }
}

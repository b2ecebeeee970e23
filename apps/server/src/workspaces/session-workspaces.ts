import type { SessionId, WorkspaceOwner, Workspaces } from '@polylogue/engine'
import { realPathOf } from '@polylogue/tools'
import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { SharedDirectory } from '../nodes/agree-on-workspaces.ts'
import { createSessionPins, type SessionPinsOptions } from './session-pins.ts'

export interface WorkspaceOptions {
  /** Where the own directories of sessions are made, in `workspaces`. */
  readonly filesDir: string
  /** Each holds one folder per session, which the session's tools may read and which is removed with the session. */
  readonly readable?: readonly string[]
  /** Called before what belongs to a session is removed. */
  readonly removed?: (sessionId: SessionId) => Promise<void>
  /** Called after the own directory of a session was removed. */
  readonly removedDirectory?: (path: string) => Promise<void>
  /** A directory that an agent's configuration names for all its sessions. */
  directoryOf(agent: string): string | undefined
  /** Why a directory that a client named may not be a root. Default: every directory may. */
  readonly refuse?: SessionPinsOptions['refuse']
  /** `filesDir`, if other nodes use it too. */
  readonly shared?: SharedDirectory
}

export interface SessionWorkspaces extends Workspaces {
  close(): Promise<void>
}

/** Directories of sessions below `filesDir`, unless their client or their agent's configuration names one. */
export function createSessionWorkspaces(options: WorkspaceOptions): SessionWorkspaces {
  const { readable = [], removed, removedDirectory, directoryOf, refuse = () => undefined, shared } = options
  const filesDir = realPathOf(options.filesDir)
  const ownOf = (sessionId: string): string => folderIn(join(filesDir, 'workspaces'), sessionId)
  const readableOf = (sessionId: string): readonly string[] => readable.map((folder) => folderIn(folder, sessionId))
  const named = createSessionPins({ refuse })
  // The operator chose these directories, so nothing is refused.
  const chosen = createSessionPins({ refuse: () => undefined })

  const locate: Workspaces['locate'] = (session) => {
    const { agent, directories } = session
    const [first] = directories
    const also = readable.length === 0 ? {} : { readable: lineOf(session).flatMap(readableOf) }
    if (first !== undefined) return { cwd: first, roots: directories, ...also }
    const cwd = directoryOf(agent) ?? ownOf(oldestOf(session))
    return { cwd, roots: [cwd], ...also }
  }

  const pinsOf = ({ directories }: WorkspaceOwner) => (directories.length > 0 ? named : chosen)

  return {
    locate,
    async prepare(session) {
      const { sessionId, agent, directories } = session
      if (directories.length === 0 && directoryOf(agent) === undefined) {
        // Otherwise the session would go on with an empty directory on the disk of this node.
        if ((await shared?.isMounted()) === false)
          throw new Error(`The shared directory ${filesDir} is not mounted on this node.`)
        await mkdir(ownOf(oldestOf(session)), { recursive: true, mode: 0o700 })
      }
      const workspace = locate(session)
      const pins = await Promise.all(workspace.roots.map((root) => pinsOf(session).pin(sessionId, root)))
      return { ...workspace, pins }
    },
    async open(session) {
      const { roots } = locate(session)
      const pins = await Promise.all(roots.map((root) => pinsOf(session).renew(session.sessionId, root)))
      return pins.map((pin) => ('problem' in pin ? pin.problem : undefined)).find((problem) => problem !== undefined)
    },
    async remove(sessionId, unused) {
      await Promise.all([named.forget(sessionId), chosen.forget(sessionId)])
      await removed?.(sessionId)
      for (const folder of unused.flatMap((id) => [ownOf(id), ...readableOf(id)])) {
        await rm(folder, { recursive: true, force: true })
      }
      for (const id of unused) await removedDirectory?.(ownOf(id))
    },
    close: async () => void (await Promise.all([named.close(), chosen.close()])),
  }
}

/** A session and the sessions that it was forked from, itself first. */
const lineOf = ({ sessionId, origin }: WorkspaceOwner): readonly SessionId[] => [
  sessionId,
  ...(origin?.ancestors ?? []).toReversed(),
]

const oldestOf = ({ sessionId, origin }: WorkspaceOwner): SessionId => origin?.ancestors[0] ?? sessionId

/** A database that somebody else wrote could hold any id. */
function folderIn(parent: string, sessionId: string): string {
  const isName = basename(sessionId) === sessionId && !sessionId.includes('\\') && !['', '.', '..'].includes(sessionId)
  if (isName) return join(parent, sessionId)
  throw new Error(`${JSON.stringify(sessionId)} cannot be the name of a folder.`)
}

import type { SessionId, Workspaces } from '@polylogue/engine'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface WorkspaceOptions {
  readonly dataDir: string
  /** Folders with a folder for each session, which its tools may read, and which goes with it. */
  readonly readable?: readonly string[]
  /** Told before what belongs to a session is removed. */
  readonly removed?: (sessionId: SessionId) => Promise<void>
  /** A directory that an agent's configuration names for all its sessions. */
  directoryOf(agent: string): string | undefined
}

/** Directories of sessions below the data directory, unless their client or their agent's configuration names one. */
export function createSessionWorkspaces(options: WorkspaceOptions): Workspaces {
  const { dataDir, readable = [], removed, directoryOf } = options
  const ownOf = (sessionId: string): string => join(dataDir, 'workspaces', sessionId)
  const readableOf = (sessionId: string): readonly string[] => readable.map((folder) => join(folder, sessionId))
  return {
    locate({ sessionId, agent, directories }) {
      const [named] = directories
      const also = readable.length === 0 ? {} : { readable: readableOf(sessionId) }
      if (named !== undefined) return { cwd: named, roots: directories, ...also }
      const cwd = directoryOf(agent) ?? ownOf(sessionId)
      return { cwd, roots: [cwd], ...also }
    },
    async prepare({ sessionId, agent, directories }) {
      if (directories.length > 0 || directoryOf(agent) !== undefined) return
      await mkdir(ownOf(sessionId), { recursive: true, mode: 0o700 })
    },
    async remove(sessionId) {
      await removed?.(sessionId)
      for (const folder of [ownOf(sessionId), ...readableOf(sessionId)]) {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

import type { Workspaces } from '@polylogue/engine'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface WorkspaceOptions {
  readonly dataDir: string
  /** A directory that an agent's configuration names for all its sessions. */
  directoryOf(agent: string): string | undefined
}

/** Directories of sessions below the data directory, unless their client or their agent's configuration names one. */
export function createSessionWorkspaces({ dataDir, directoryOf }: WorkspaceOptions): Workspaces {
  const ownOf = (sessionId: string): string => join(dataDir, 'workspaces', sessionId)
  return {
    locate({ sessionId, agent, directories }) {
      const [named] = directories
      if (named !== undefined) return { cwd: named, roots: directories }
      const cwd = directoryOf(agent) ?? ownOf(sessionId)
      return { cwd, roots: [cwd] }
    },
    async prepare({ sessionId, agent, directories }) {
      if (directories.length > 0 || directoryOf(agent) !== undefined) return
      await mkdir(ownOf(sessionId), { recursive: true, mode: 0o700 })
    },
    remove: (sessionId) => rm(ownOf(sessionId), { recursive: true, force: true }),
  }
}

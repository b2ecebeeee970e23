import type { ClusterParts } from '@polylogue/engine'
import { stat } from 'node:fs/promises'
import type { SharedDirectory } from './agree-on-workspaces.ts'

export interface SessionFilesHere {
  /** The directory that an agent's configuration names for all its sessions. */
  directoryOf(agent: string): string | undefined
  /** Absent without `--workspaces`. */
  readonly shared?: SharedDirectory | undefined
}

/** Tells what a session would not find on this node. Nodes that share a directory have it at the same path. */
export function createFindMissing({ directoryOf, shared }: SessionFilesHere): NonNullable<ClusterParts['findMissing']> {
  return async ({ agent, directories }) => {
    if (shared !== undefined && !(await shared.isMounted())) {
      return `the shared directory ${shared.path}, which --workspaces names`
    }
    const ofAgent = directoryOf(agent)
    const needed = directories.length === 0 && ofAgent !== undefined ? [ofAgent] : directories
    const found = await Promise.all(needed.map(isDirectory))
    const missing = needed.find((_, index) => found[index] === false)
    return missing === undefined ? undefined : `the directory ${missing} of this session`
  }
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

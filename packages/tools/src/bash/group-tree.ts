// The processes of one call where the system does not list processes as files. Only the first process is known, with its group; on
// Windows, with what taskkill finds below it. A process that leaves the group, or whose parent has ended, escapes.
import { type KillParts, killWithChildren } from '../host.ts'
import type { ProcessRow } from './process-table.ts'
import type { ProcessTree } from './process-tree.ts'

export interface GroupParts extends Partial<KillParts> {
  /** Throws if there is no such process; a negative number is a group. */
  readonly probe?: (pid: number) => void
}

export function createGroupTree(leader: number | undefined, parts: GroupParts = {}): ProcessTree {
  const { system = process.platform, send = process.kill, probe = (pid) => void process.kill(pid, 0) } = parts
  const isAlive = (): boolean => {
    if (leader === undefined) return false
    try {
      probe(system === 'win32' ? leader : -leader)
      return true
    } catch {
      return false
    }
  }
  return {
    find: (since = performance.now()) =>
      Promise.resolve({ readAt: Math.max(since, performance.now()), rows: isAlive() ? rowsOf(leader) : [] }),
    ask(rows) {
      // Windows can only ask programs that have a window.
      if (system === 'win32') return
      for (const { pid } of rows) {
        for (const signal of ['SIGTERM', 'SIGCONT'] as const) trySend(() => send(-pid, signal))
      }
    },
    kill() {
      if (isAlive() && leader !== undefined) killWithChildren(leader, parts)
    },
  }
}

function rowsOf(leader: number | undefined): readonly ProcessRow[] {
  if (leader === undefined) return []
  return [{ pid: leader, parent: 0, group: leader, session: leader, isZombie: false, command: '', startedAt: 0 }]
}

function trySend(send: () => void): void {
  try {
    send()
  } catch (error) {
    // It has ended in the meantime.
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}

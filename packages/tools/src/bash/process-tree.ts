// The processes of one call: those that carry its marker in their environment (children inherit it through fork and
// exec, `setsid`, `nohup` and double forks), those of sessions that such processes lead, and the children of all these.
// A process that clears its environment, leaves the session and outlives its parent escapes. Only the sandbox contains
// it.
import { setTimeout as delay } from 'node:timers/promises'
import { hasProcessFiles } from '../host.ts'
import { createGroupTree } from './group-tree.ts'
import { type ProcessRow, type ProcessTable, readMarker, readProcessTable } from './process-table.ts'

export interface ProcessTree {
  /** The processes that were alive at `since` or later. Default: now. */
  find(since?: number): Promise<ProcessTable>
  /** Sends SIGTERM to these processes. */
  ask(rows: readonly ProcessRow[]): void
  /** Kills these processes and the whole group of the first process. */
  kill(rows: readonly ProcessRow[]): void
}

export interface TreeRoot {
  readonly marker: string
  /** The first process, which leads its own session and group. Absent if it ended long ago. */
  readonly leader?: number
  /** Processes with this name only contain the others, so they get no SIGTERM. */
  readonly holder?: string
  /** The earliest start time of its processes, in clock ticks. */
  readonly startedAt?: number
}

export function createProcessTree({ marker, leader, holder, startedAt = 0 }: TreeRoot): ProcessTree {
  if (!hasProcessFiles()) return createGroupTree(leader)
  const sessions = new Set<number>(leader === undefined ? [] : [leader])

  async function find(since: number = performance.now()): Promise<ProcessTable> {
    const { rows, readAt } = await readProcessTable(since)
    const found = new Map<number, ProcessRow>()
    for (const row of rows) {
      if (row.startedAt < startedAt) continue
      if (row.pid === leader || sessions.has(row.session) || readMarker(row.pid) === marker) found.set(row.pid, row)
    }
    for (let before = -1; before !== found.size;) {
      before = found.size
      for (const row of rows) if (found.has(row.parent)) found.set(row.pid, row)
    }
    for (const { session } of found.values()) if (found.has(session)) sessions.add(session)
    return { readAt, rows: [...found.values()].filter(({ isZombie, pid }) => !isZombie && pid !== process.pid) }
  }

  function ask(rows: readonly ProcessRow[]): void {
    for (const { pid, command } of rows) {
      if (command === holder) continue
      send(pid, 'SIGTERM')
      // A stopped process does not handle signals until it continues.
      send(pid, 'SIGCONT')
    }
  }

  function kill(rows: readonly ProcessRow[]): void {
    // The group comes first: the kernel signals it as a whole, so no process can fork away in between.
    if (leader !== undefined) send(-leader, 'SIGKILL')
    for (const { pid } of rows) send(pid, 'SIGKILL')
  }

  return { find, ask, kill }
}

/** Makes sure that two checks never share one read. */
const A_MOMENT = 0.001
const FIRST_LOOK_MS = 8
/** Each check reads the whole process table, which is slow when there are many processes. */
const LOOK_LESS_OFTEN = 1.7

/**
 * Checks repeatedly whether the tree is gone, and passes the remaining processes to `seen`. The tree must be gone in
 * two reads, because a process that forked during the first appears only in the second.
 */
export async function isGoneWithin(
  tree: ProcessTree,
  ms: number,
  seen?: (rows: readonly ProcessRow[]) => void,
): Promise<boolean> {
  let since = performance.now()
  const giveUpAt = since + ms
  let pauseMs = FIRST_LOOK_MS
  for (let empty = 0; ; pauseMs *= LOOK_LESS_OFTEN) {
    const { rows, readAt } = await tree.find(since)
    since = readAt + A_MOMENT
    empty = rows.length === 0 ? empty + 1 : 0
    if (empty === 2) return true
    if (empty === 0) seen?.(rows)
    const leftMs = giveUpAt - performance.now()
    await delay(empty === 0 ? Math.max(0, Math.min(pauseMs, leftMs)) : 1)
    if (empty === 0 && performance.now() >= giveUpAt) return false
  }
}

/** Sends SIGTERM, then kills until nothing is left or the time is up. Returns whether the tree is gone. */
export async function stopTree(
  tree: ProcessTree,
  limits: { readonly askMs: number; readonly killMs: number },
): Promise<boolean> {
  const asked = new Set<number>()
  const askOnce = (rows: readonly ProcessRow[]) => {
    tree.ask(rows.filter(({ pid }) => !asked.has(pid)))
    for (const { pid } of rows) asked.add(pid)
  }
  if (limits.askMs > 0 && (await isGoneWithin(tree, limits.askMs, askOnce))) return true
  // Kill before the table is read, because there may be many processes that fork fast.
  tree.kill([])
  return isGoneWithin(tree, limits.killMs, (rows) => tree.kill(rows))
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It has ended (ESRCH), or we may not signal it (EPERM). In that case it is reported as alive.
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}

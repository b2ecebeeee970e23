// Reads Linux's /proc. Other systems have group-tree.ts instead.
import { readFileSync, readdirSync } from 'node:fs'
import { setImmediate as giveWay } from 'node:timers/promises'
import { MARKER_NAME } from './clean-environment.ts'

export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly isZombie: boolean
  readonly command: string
  /** In clock ticks of the machine; see `readTicks`. */
  readonly startedAt: number
}

export interface ProcessTable {
  /** When the read began. */
  readonly readAt: number
  /** Processes that ended during the read may be missing. */
  readonly rows: readonly ProcessRow[]
}

/** Yields to the event loop after this time, because reading thousands of processes would block the server. */
const SLICE_MS = 5

let latest: { readonly readAt: number; readonly table: Promise<ProcessTable> } | undefined

/**
 * The process table at `since` or later. When many calls are stopped at once, they share one read, which is slow on a
 * machine with many processes.
 */
export function readProcessTable(since: number): Promise<ProcessTable> {
  if (!latest || latest.readAt < since) {
    const readAt = performance.now()
    latest = { readAt, table: readTable(readAt) }
  }
  return latest.table
}

async function readTable(readAt: number): Promise<ProcessTable> {
  const rows: ProcessRow[] = []
  let sliceBegan = readAt
  for (const pid of listPids()) {
    const row = parseStat(pid, readText(`/proc/${pid}/stat`))
    if (row) rows.push(row)
    if (performance.now() - sliceBegan < SLICE_MS) continue
    await giveWay()
    sliceBegan = performance.now()
  }
  return { readAt, rows }
}

/** The call that a process belongs to, according to its environment. */
export function readMarker(pid: number): string | undefined {
  const prefix = `${MARKER_NAME}=`
  const line = readText(`/proc/${pid}/environ`)
    .split('\0')
    .find((one) => one.startsWith(prefix))
  return line?.slice(prefix.length)
}

/** Clock ticks per second, the same on every Linux. */
const TICKS_PER_SECOND = 100

/** The clock in which the kernel reports start times of processes. */
export function readTicks(): number {
  return Number(readText('/proc/uptime').split(' ')[0]) * TICKS_PER_SECOND
}

function listPids(): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

/** `pid (command) state parent group session …`. The start time is the 20th field after the command. */
function parseStat(pid: number, stat: string): ProcessRow | undefined {
  const open = stat.indexOf('(')
  const close = stat.lastIndexOf(')')
  const fields = stat.slice(close + 2).split(' ')
  const [state, parent, group, session] = fields
  if (open === -1 || close === -1 || session === undefined) return undefined
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    isZombie: state === 'Z' || state === 'X',
    command: stat.slice(open + 1, close),
    startedAt: Number(fields[19]),
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // The process has ended, or belongs to another user.
    return ''
  }
}

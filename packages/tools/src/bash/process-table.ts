// Reads Linux's /proc. Elsewhere there is none: then a call's processes are only those of its process group.
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
  /** In the machine's ticks; see `readTicks`. */
  readonly startedAt: number
}

export interface ProcessTable {
  /** When reading it began. */
  readonly readAt: number
  /** Every process there was; those that ended meanwhile may be missing. */
  readonly rows: readonly ProcessRow[]
}

/** Reading goes on for so long before others get their turn: thousands of processes would stop the server. */
const SLICE_MS = 5

let latest: { readonly readAt: number; readonly table: Promise<ProcessTable> } | undefined

/**
 * The table as it was at `since` or later. When many calls are stopped at once, one read serves them all: on a machine
 * full of processes it takes long.
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

/** The call that a process belongs to, as its environment says. */
export function readMarker(pid: number): string | undefined {
  const prefix = `${MARKER_NAME}=`
  const line = readText(`/proc/${pid}/environ`)
    .split('\0')
    .find((one) => one.startsWith(prefix))
  return line?.slice(prefix.length)
}

/** Of every Linux, as its programs see it. */
const TICKS_PER_SECOND = 100

/** The machine's clock that start times of processes are told in. */
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

/** `pid (command) state parent group session …`, the start time as the 20th after the command, which may be anything. */
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
    // It has ended, or belongs to somebody else.
    return ''
  }
}

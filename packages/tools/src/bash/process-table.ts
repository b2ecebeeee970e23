// Reads Linux's /proc. Elsewhere there is none: then a call's processes are only those of its process group.
import { readFileSync, readdirSync } from 'node:fs'
import { MARKER_NAME } from './clean-environment.ts'

export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly isZombie: boolean
  readonly command: string
  /** Of the call that it belongs to. */
  readonly marker?: string
}

export interface ProcessTable {
  /** When reading it began. */
  readonly readAt: number
  /** Every process there was; those that ended meanwhile may be missing. */
  readonly rows: readonly ProcessRow[]
}

let latest: ProcessTable | undefined

/**
 * The table as it was at `since` or later. When many calls are stopped at once, one read serves them all: on a machine
 * full of processes it takes long.
 */
export function readProcessTable(since: number): ProcessTable {
  if (latest && latest.readAt >= since) return latest
  const readAt = performance.now()
  const rows = listPids().flatMap((pid) => {
    const row = parseStat(pid, readText(`/proc/${pid}/stat`))
    if (!row) return []
    const marker = row.isZombie ? undefined : readMarker(pid)
    return [marker === undefined ? row : { ...row, marker }]
  })
  latest = { readAt, rows }
  return latest
}

function readMarker(pid: number): string | undefined {
  const prefix = `${MARKER_NAME}=`
  const line = readText(`/proc/${pid}/environ`)
    .split('\0')
    .find((one) => one.startsWith(prefix))
  return line?.slice(prefix.length)
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

/** `pid (command) state parent group session …`; the command may contain anything. */
function parseStat(pid: number, stat: string): ProcessRow | undefined {
  const open = stat.indexOf('(')
  const close = stat.lastIndexOf(')')
  const [state, parent, group, session] = stat.slice(close + 2).split(' ')
  if (open === -1 || close === -1 || session === undefined) return undefined
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    isZombie: state === 'Z' || state === 'X',
    command: stat.slice(open + 1, close),
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

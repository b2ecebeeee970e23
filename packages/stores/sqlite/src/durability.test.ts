import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asSessionId } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { openDatabase } from './open-database.ts'
import { openSqliteStores } from './open-sqlite-stores.ts'
import { runProgram } from './test-programs/run-program.ts'

const canRun = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0
const hasStrace = canRun('strace', '-qq', '-o', '/dev/null', 'true')
const hasOwnMounts = canRun('unshare', '-rm', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir())

/** Used if neither is possible: limits files to 512 blocks, which SQLite reports as an I/O error. */
const SMALL_FILES = ['sh', '-c', 'ulimit -f 512; exec "$@"', 'sh']

let directory: string
let file: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'polylogue-durability-'))
  file = join(directory, 'polylogue.db')
})
afterEach(() => rmSync(directory, { recursive: true }))

const integrityOf = (path: string): unknown => {
  const db = new DatabaseSync(path)
  const row = db.prepare('PRAGMA integrity_check').get()
  db.close()
  return row?.['integrity_check']
}

describe('what was acknowledged', () => {
  it('is there after the process was killed', async () => {
    const program = runProgram('append-until-killed', [file, '8'])
    const lines: string[] = []
    while (lines.length < 400) lines.push((await program.nextLine()) ?? 'ended early')
    await program.kill()
    lines.push(...(await program.remainingLines()))

    const acknowledged = new Map<string, number>()
    for (const line of lines) {
      const [, name = '', seq = ''] = /^ack (\S+) (\d+)$/.exec(line) ?? []
      acknowledged.set(name, Number(seq))
    }
    expect(acknowledged.size).toBe(8)
    const { events, close } = await openSqliteStores({ file, clock: createFakeClock() })
    for (const [name, seq] of acknowledged) {
      const stored = await events.readEvents(asSessionId(name), 0, 100_000)
      expect(stored.length).toBeGreaterThanOrEqual(seq)
      expect(stored.length).toBeLessThanOrEqual(seq + 1)
      expect(await events.readHead(asSessionId(name))).toEqual({ userId: 'local', lastSeq: stored.length })
    }
    await close()
    expect(integrityOf(file)).toBe('ok')
  })

  it('was written through to the disk before', async () => {
    expect(await (hasStrace ? acksBeforeTheirSync() : settingsThatForget())).toEqual([])
  })

  it('is the last thing acknowledged when the disk fails, and can still be read', async () => {
    // The 60th fsync fails, the later ones would succeed. Creating the tables takes the first ones.
    const fault = hasStrace
      ? ['strace', '-qq', '-f', '-o', '/dev/null', '-e', 'inject=fsync,fdatasync:error=EIO:when=60']
      : SMALL_FILES
    const lines = await runProgram('append-through-faults', [file, '400', '4000'], fault).remainingLines()
    const acks = lines.filter((line) => line.startsWith('ack')).length
    expect(acks).toBeGreaterThan(5)
    expect(acks).toBeLessThan(400)
    expect(lines.slice(acks)).toEqual([...Array<string>(4).fill('fault broken'), `head ${acks}`])

    const { events, close } = await openSqliteStores({ file, clock: createFakeClock() })
    expect((await events.readEvents(asSessionId('session-0'), 0, 1_000)).length).toBeGreaterThanOrEqual(acks)
    await close()
    expect(integrityOf(file)).toBe('ok')
  })
})

describe('a full disk', () => {
  it('refuses writes as full, still reads, and takes writes again when there is room', async () => {
    const { lines, expected } = await (hasOwnMounts ? fillSmallDisk() : fillSmallFile())
    expect(lines).toEqual(expected)
  })
})

/** Acknowledgements in the trace that did not come right after an fsync of the log. */
async function acksBeforeTheirSync(): Promise<string[]> {
  const trace = join(directory, 'trace')
  const strace = ['strace', '-qq', '-f', '-y', '-o', trace, '-e', 'trace=write,fsync,fdatasync']
  await runProgram('append-through-faults', [file, '10'], strace).remainingLines()
  const calls = readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => /write\(1<.*"ack |f(data)?sync\(.*-wal>\) += 0$/.test(line))
  const isAck = (call: string | undefined): boolean => call?.includes('"ack ') === true
  if (calls.filter(isAck).length !== 10) return ['strace did not see ten acknowledgements']
  return calls.filter((call, index) => isAck(call) && (index === 0 || isAck(calls[index - 1])))
}

async function settingsThatForget(): Promise<string[]> {
  const db = openDatabase(file)
  const row = { ...db.prepare('PRAGMA synchronous').get(), ...db.prepare('PRAGMA journal_mode').get() }
  db.close()
  return row['synchronous'] === 2 && row['journal_mode'] === 'wal' ? [] : [JSON.stringify(row)]
}

interface Filling {
  readonly lines: readonly string[]
  readonly expected: readonly string[]
}

async function fillSmallDisk(): Promise<Filling> {
  const mount = 'mount -t tmpfs -o size=3m tmpfs "$0" && exec "$@"'
  const program = runProgram('fill-the-disk', [directory], ['unshare', '-rm', 'sh', '-c', mount, directory])
  const expected = [
    'until it was full: full',
    'a read gives all of it',
    'another try: full',
    'with room again: appended',
    'a read gives all of it',
    'the file is sound',
  ]
  return { lines: await program.remainingLines(), expected }
}

async function fillSmallFile(): Promise<Filling> {
  const lines = await runProgram('append-through-faults', [file, '400', '4000'], SMALL_FILES).remainingLines()
  const acks = lines.filter((line) => line.startsWith('ack')).length
  return { lines: lines.slice(acks), expected: [...Array<string>(4).fill('fault broken'), `head ${acks}`] }
}

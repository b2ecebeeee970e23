import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asSessionId } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { hasLostCommits } from './lost-commits.ts'
import { openSqliteStores } from './open-sqlite-stores.ts'
import { runProgram } from './test-programs/run-program.ts'

const FRAME = 24 + 4_096
let directory: string
let file: string
/** The last committed frame. Parts of the next commit that the kill left behind it are cut off. */
let committed: number
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'polylogue-log-'))
  file = join(directory, 'polylogue.db')
  const program = runProgram('append-until-killed', [file, '1'])
  for (let lines = 0; lines < 20; lines++) await program.nextLine()
  await program.kill()
  committed = readFileSync(`${file}-shm`).readUInt32LE(16)
  change('-wal', (bytes) => bytes.subarray(0, 32 + committed * FRAME))
})
afterEach(() => rmSync(directory, { recursive: true }))

const change = (suffix: '-wal' | '-shm', edit: (bytes: Buffer) => Buffer | void): void => {
  const bytes = readFileSync(file + suffix)
  writeFileSync(file + suffix, edit(bytes) ?? bytes)
}
const flip = (offset: number) => (bytes: Buffer) => {
  bytes[offset] = (bytes[offset] ?? 0) ^ 4
}
const withoutIndex = (): void => rmSync(`${file}-shm`)

describe('a log that a kill left behind', () => {
  it('has lost nothing', async () => {
    expect(hasLostCommits(file)).toBe(false)
    withoutIndex()
    expect(hasLostCommits(file)).toBe(false)
  })

  it.each([
    ['in its header', () => 17],
    ['in its first page', () => 32 + 24 + 100],
    ['in the salt of a frame', () => 32 + 10 * FRAME + 9],
    ['in the checksum of a frame', () => 32 + 10 * FRAME + 17],
    ['in its last page', () => 32 + committed * FRAME - 1],
  ])('has lost commits when a bit flips %s', async (_where, offset) => {
    change('-wal', flip(offset()))
    expect(hasLostCommits(file)).toBe(true)
    const before = readFileSync(`${file}-wal`)
    await expect(openSqliteStores({ file, clock: createFakeClock() })).rejects.toThrow(
      `${file}-wal is damaged: what was stored last cannot be read.`,
    )
    expect(readFileSync(`${file}-wal`)).toEqual(before)
  })

  it('is found beside the database, also when opened by a link', async () => {
    change('-wal', flip(32 + 24 + 100))
    const link = join(directory, 'link.db')
    symlinkSync(file, link)
    await expect(openSqliteStores({ file: link, clock: createFakeClock() })).rejects.toThrow('-wal is damaged')
  })

  it('has lost commits when it was cut, emptied or removed', () => {
    change('-wal', (bytes) => bytes.subarray(0, -FRAME))
    expect(hasLostCommits(file)).toBe(true)
    change('-wal', () => Buffer.alloc(0))
    expect(hasLostCommits(file)).toBe(true)
    rmSync(`${file}-wal`)
    expect(hasLostCommits(file)).toBe(true)
  })
})

describe('a log that a power loss left behind, without its index', () => {
  beforeEach(withoutIndex)

  it('may end in a commit that was not yet safe', async () => {
    change('-wal', flip(32 + (committed - 1) * FRAME + 200))
    expect(hasLostCommits(file)).toBe(false)
    const { events, close } = await openSqliteStores({ file, clock: createFakeClock() })
    expect((await events.readEvents(asSessionId('session-0'), 0, 10_000)).length).toBeGreaterThan(10)
    await close()
  })

  it('has lost commits when others follow the damage', () => {
    change('-wal', flip(32 + (committed - 12) * FRAME + 200))
    expect(hasLostCommits(file)).toBe(true)
  })

  it('may be empty, or only a header', () => {
    change('-wal', (bytes) => bytes.subarray(0, 32))
    expect(hasLostCommits(file)).toBe(false)
    change('-wal', (bytes) => bytes.subarray(0, 7))
    expect(hasLostCommits(file)).toBe(false)
    rmSync(`${file}-wal`)
    expect(hasLostCommits(file)).toBe(false)
  })
})

describe('an index', () => {
  it('of an older log, or a damaged one, is not believed', () => {
    for (const offset of [16, 36, 64]) {
      const before = readFileSync(`${file}-shm`)
      change('-shm', flip(offset))
      change('-wal', (bytes) => bytes.subarray(0, -FRAME))
      expect(hasLostCommits(file)).toBe(false)
      writeFileSync(`${file}-shm`, before)
    }
  })
})

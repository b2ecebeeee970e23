import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { acquireOwnerLock } from './owner-lock.ts'
import { runProgram } from './test-programs/run-program.ts'

let directory: string
let file: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'polylogue-owner-'))
  file = join(directory, 'owner.lock')
})
afterEach(() => rmSync(directory, { recursive: true }))

/** The answer to a process that tries to become the owner. */
const triedElsewhere = async (): Promise<string | undefined> => {
  const program = runProgram('own', [file])
  const answer = await program.nextLine()
  program.finish()
  await program.remainingLines()
  return answer
}

describe('the owner lock', () => {
  it('is held by one process, until that one is killed', async () => {
    const owner = runProgram('own', [file])
    expect(await owner.nextLine()).toBe('owner')
    expect(await triedElsewhere()).toBe('taken')
    expect(acquireOwnerLock(file)).toBeUndefined()
    await owner.kill()
    const lock = acquireOwnerLock(file)
    expect(lock).toBeDefined()
    expect(await triedElsewhere()).toBe('taken')
    lock?.release()
  })

  it('is given once in a process, and asking again does not lose it', async () => {
    const lock = acquireOwnerLock(file)
    expect(acquireOwnerLock(file)).toBeUndefined()
    expect(await triedElsewhere()).toBe('taken')
    lock?.release()
  })

  it('is free after a release, which may be repeated', async () => {
    const lock = acquireOwnerLock(file)
    lock?.release()
    lock?.release()
    expect(await triedElsewhere()).toBe('owner')
    const again = acquireOwnerLock(file)
    expect(again).toBeDefined()
    lock?.release()
    expect(await triedElsewhere()).toBe('taken')
    again?.release()
  })

  it('is a file for its owner alone', () => {
    const lock = acquireOwnerLock(file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    lock?.release()
  })

  it('is refused with a sentence where there can be none', () => {
    writeFileSync(file, 'not a lock '.repeat(100))
    expect(() => acquireOwnerLock(file)).toThrow(`${file} cannot be locked: file is not a database.`)
    expect(() => acquireOwnerLock(join(directory, 'missing', 'owner.lock'))).toThrow('missing')
  })
})

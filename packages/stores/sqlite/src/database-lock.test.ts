import { spawnSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFakeClock } from '@polylogue/testkit'
import { lockDatabase } from './database-lock.ts'
import { identityOf } from './file-identity.ts'
import { openOwnedStores } from './open-owned-stores.ts'
import { type RunningProgram, runProgram } from './test-programs/run-program.ts'

let directory: string
let file: string
let other: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'polylogue-lock-'))
  file = join(directory, 'data', 'polylogue.db')
  other = join(directory, 'other')
  mkdirSync(join(directory, 'data'))
  mkdirSync(other)
})
afterEach(() => rmSync(directory, { recursive: true }))

/** Another name of the database, and a command that makes it valid. */
interface OtherName {
  readonly path: string
  readonly through?: readonly string[]
}

const MOUNT = ['unshare', '-m', 'sh', '-c', 'mount --bind "$0" "$1" && shift && exec "$@"']
const canMount = spawnSync('unshare', ['-m', 'true']).status === 0

/** Only a separate process sees the mount. Without the right to mount, a hard link is used instead. */
function mounted(from: string, to: string, path: string): OtherName {
  if (canMount) return { path, through: [...MOUNT, from, to] }
  rmSync(path, { force: true })
  linkSync(file, path)
  return { path }
}

const NAMES: readonly (readonly [string, () => OtherName])[] = [
  ['the same path', () => ({ path: file })],
  ['a path with ..', () => ({ path: `${directory}/other/../data/polylogue.db` })],
  ['a path with // and /.', () => ({ path: `${directory}//data/./polylogue.db` })],
  ['a symbolic link to the file', () => (symlinkSync(file, join(other, 'link.db')), { path: join(other, 'link.db') })],
  [
    'a symbolic link to its directory',
    () => (symlinkSync(join(directory, 'data'), join(other, 'dir')), { path: join(other, 'dir', 'polylogue.db') }),
  ],
  [
    'a chain of symbolic links',
    () => {
      symlinkSync(join(directory, 'data'), join(other, 'a'))
      symlinkSync(join(other, 'a', 'polylogue.db'), join(other, 'b.db'))
      symlinkSync('b.db', join(other, 'c.db'))
      return { path: join(other, 'c.db') }
    },
  ],
  [
    'a hard link beside it',
    () => (linkSync(file, join(directory, 'data', 'x.db')), { path: join(directory, 'data', 'x.db') }),
  ],
  ['a hard link elsewhere', () => (linkSync(file, join(other, 'x.db')), { path: join(other, 'x.db') })],
  [
    'a symbolic link to a hard link',
    () => {
      linkSync(file, join(other, 'x.db'))
      symlinkSync('x.db', join(other, 'y.db'))
      return { path: join(other, 'y.db') }
    },
  ],
  ['its directory, mounted elsewhere', () => mounted(join(directory, 'data'), other, join(other, 'polylogue.db'))],
  [
    'the file, mounted elsewhere',
    () => (writeFileSync(join(other, 'm.db'), ''), mounted(file, join(other, 'm.db'), join(other, 'm.db'))),
  ],
]

const open = (path: string) => openOwnedStores({ file: path, clock: createFakeClock() })

const answerOf = async (program: RunningProgram): Promise<string | undefined> => {
  const answer = await program.nextLine()
  program.finish()
  await program.remainingLines()
  return answer
}

describe('a database in use', () => {
  it.each(NAMES)('is refused to another process that opens %s', async (_name, makeName) => {
    await (await open(file)).close()
    const stores = await open(file)
    const { path, through = [] } = makeName()
    const program = () => runProgram('own-database', [path], through)
    expect(await answerOf(program())).toBe(`${path} is in use by another process. Stop it first.`)
    await stores.close()
    expect(await answerOf(program())).toBe('owner')
  })

  it.each(NAMES.filter(([name]) => !name.includes('mounted')))(
    'is refused to the same process that opens %s, whether it was new or not',
    async (_name, makeName) => {
      const stores = await open(file)
      const { path } = makeName()
      await expect(open(path)).rejects.toThrow('is in use by another process')
      await stores.close()
      await (await open(path)).close()
    },
  )

  it('is free when its process was killed, but not by another name while its log has content', async () => {
    const owner = runProgram('own-database', [file])
    expect(await owner.nextLine()).toBe('owner')
    await owner.kill()
    const link = join(other, 'x.db')
    linkSync(file, link)
    await expect(open(link)).rejects.toThrow(`${link} is the same file as ${file}, and ${file}-wal holds`)
    await (await open(file)).close()
    await (await open(link)).close()
  })

  it('does not keep a copy from being opened, nor another file of the directory', async () => {
    const stores = await open(file)
    const second = await open(join(directory, 'data', 'second.db'))
    await second.close()
    await stores.close()
  })

  it('leaves no lock behind when it is closed', async () => {
    await (await open(file)).close()
    const identity = identityOf(file) ?? ''
    const lock = lockDatabase(file)
    expect(lock).toBeDefined()
    lock?.release()
    const left = existsSync('/dev/shm') ? readdirSync('/dev/shm', { recursive: true, encoding: 'utf8' }) : []
    expect(left.filter((name) => name.includes(identity))).toEqual([])
  })
})

import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ServeError } from '../serve-error.ts'
import { makeTempDir } from '../test-support/temp-dir.ts'
import { createPrivateFile, readPrivateFile, writePrivateFile } from './private-file.ts'
import { randomBytes } from './random-bytes.ts'
import { loadSecretKeys } from './secret-key-file.ts'

it('is written for its owner alone, and read back', () => {
  const directory = makeTempDir()
  const path = join(directory, 'local.key')
  expect(readPrivateFile(path)).toBeUndefined()
  writePrivateFile(path, 'one')
  writePrivateFile(path, 'two')
  expect(readPrivateFile(path)).toBe('two')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(directory)).toEqual(['local.key'])
})

it.each([0o640, 0o604, 0o660, 0o602])('is refused with mode %o, with the line to type', (mode) => {
  const path = join(makeTempDir(), 'local.key')
  writeFileSync(path, 'sk')
  chmodSync(path, mode)
  expect(() => readPrivateFile(path)).toThrow(
    new ServeError(`${path} is open to other users. Type: chmod 600 ${path}`, 78),
  )
})

it('is refused when it leads to an open file, or is invalid', () => {
  const directory = makeTempDir()
  writeFileSync(join(directory, 'open'), 'sk')
  chmodSync(join(directory, 'open'), 0o644)
  symlinkSync('open', join(directory, 'local.key'))
  expect(() => readPrivateFile(join(directory, 'local.key'))).toThrow(/chmod 600/)
  mkdirSync(join(directory, 'folder'))
  expect(() => readPrivateFile(join(directory, 'folder'))).toThrow(/not a regular file/)
})

it('keeps the secret keys: made once, the first line seals, a damaged file stops the start', () => {
  const path = join(makeTempDir(), 'secret.key')
  const [made] = loadSecretKeys(path, randomBytes)
  expect(made).toHaveLength(32)
  expect(loadSecretKeys(path, randomBytes)).toEqual([made])
  const added = Buffer.from(randomBytes(32)).toString('base64url')
  writePrivateFile(path, `${added}\n${readPrivateFile(path)}`)
  expect(loadSecretKeys(path, randomBytes).map((key) => Buffer.from(key).toString('base64url'))).toEqual([
    added,
    Buffer.from(made).toString('base64url'),
  ])
  for (const damaged of ['', '\n', 'short\n', `${added}\nshort\n`]) {
    writePrivateFile(path, damaged)
    expect(() => loadSecretKeys(path, randomBytes)).toThrow(/is damaged/)
  }
})

it('that cannot be written is reported in one sentence, with the cause', () => {
  const directory = makeTempDir()
  writeFileSync(join(directory, 'file'), '')
  mkdirSync(join(directory, 'folder', 'full'), { recursive: true })
  const reasons = [
    [join(directory, 'nowhere', 'local.key'), 'ENOENT: no such file or directory'],
    [join(directory, 'file', 'local.key'), 'ENOTDIR: not a directory'],
    [join(directory, 'folder'), 'EISDIR: illegal operation on a directory'],
  ] as const
  for (const [path, reason] of reasons) {
    expect(() => writePrivateFile(path, 'sk')).toThrow(
      new ServeError(`${path} cannot be written: ${reason}. Look at the disk, then start again.`, 1),
    )
  }
})

it('that cannot be read is reported in one sentence, with the cause', () => {
  const path = join(makeTempDir(), 'local.key')
  symlinkSync('local.key', path)
  expect(() => readPrivateFile(path)).toThrow(
    new ServeError(
      `${path} cannot be read: ELOOP: too many symbolic links encountered. Look at the disk, then start again.`,
      1,
    ),
  )
})

it("a second creator of a private file gets the first one's content", () => {
  const directory = makeTempDir()
  const path = join(directory, 'secret.key')
  expect(createPrivateFile(path, 'first')).toBe('first')
  expect(createPrivateFile(path, 'second')).toBe('first')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(directory)).toEqual(['secret.key'])
})

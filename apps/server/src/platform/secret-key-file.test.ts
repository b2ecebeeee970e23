import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { secretKeyFile } from './secret-key-file.ts'

it('the secret key is in the data directory unless the environment names a file, also by a relative path', () => {
  const file = (named?: string) => secretKeyFile('/data', { POLYLOGUE_SECRET_KEY_FILE: named })
  expect([file(), file(''), file('/shared/key')]).toEqual(['/data/secret.key', '/data/secret.key', '/shared/key'])
  expect(file('key')).toBe(resolve('key'))
})

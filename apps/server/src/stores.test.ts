import { expect, it } from 'vitest'
import { parseDatabase } from './stores.ts'

const dirs = { dataDir: '/data', startDir: '/start' }

it('a database is a file in the data directory unless --database names another', () => {
  expect(parseDatabase(undefined, dirs)).toBe('sqlite:/data/polylogue.db')
  expect(parseDatabase('sqlite:/var/log.db', dirs)).toBe('sqlite:/var/log.db')
  expect(parseDatabase('sqlite:log.db', dirs)).toBe('sqlite:/start/log.db')
  expect(parseDatabase('sqlite:/var/../log.db', dirs)).toBe('sqlite:/log.db')
})

it('an unsupported database URL is refused without repeating its password', () => {
  expect(() => parseDatabase('postgres://me:geheim@db/x', dirs)).toThrow(/^Postgres is not supported yet/)
  for (const wrong of ['postgresql://me:geheim@db/x', 'mysql://me:geheim@db/x', 'sqlite:', 'log.db', '']) {
    expect(() => parseDatabase(wrong, dirs)).toThrow(/sqlite:FILE/)
    expect(() => parseDatabase(wrong, dirs)).not.toThrow(/geheim/)
  }
})

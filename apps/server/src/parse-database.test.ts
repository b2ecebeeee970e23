import { expect, it } from 'vitest'
import { parseDatabase } from './parse-database.ts'

const dirs = { dataDir: '/data', startDir: '/start' }

it('is a file in the data directory unless another is named', () => {
  expect(parseDatabase(undefined, dirs)).toBe('/data/polylogue.db')
  expect(parseDatabase('sqlite:/var/log.db', dirs)).toBe('/var/log.db')
  expect(parseDatabase('sqlite:log.db', dirs)).toBe('/start/log.db')
})

it('refuses what it cannot open, without repeating a password', () => {
  expect(() => parseDatabase('postgres://me:geheim@db/x', dirs)).toThrow(/^Postgres is not supported yet/)
  for (const wrong of ['postgresql://me:geheim@db/x', 'mysql://me:geheim@db/x', 'sqlite:', 'log.db', '']) {
    expect(() => parseDatabase(wrong, dirs)).toThrow(/sqlite:FILE/)
    expect(() => parseDatabase(wrong, dirs)).not.toThrow(/geheim/)
  }
})

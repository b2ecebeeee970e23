import { expect, it } from 'vitest'
import { parseDatabase, parseDirectDatabase } from './stores.ts'

const dirs = { dataDir: '/data', startDir: '/start' }

it('a database is a file in the data directory unless --database names another', () => {
  expect(parseDatabase(undefined, dirs)).toBe('sqlite:/data/polylogue.db')
  expect(parseDatabase('sqlite:/var/log.db', dirs)).toBe('sqlite:/var/log.db')
  expect(parseDatabase('sqlite:log.db', dirs)).toBe('sqlite:/start/log.db')
  expect(parseDatabase('sqlite:/var/../log.db', dirs)).toBe('sqlite:/log.db')
})

it('a Postgres database is named by its URL', () => {
  for (const url of ['postgres://me:geheim@db/x', 'postgresql://me@db:5433/x?sslmode=require']) {
    expect(parseDatabase(url, dirs)).toBe(url)
  }
})

it('cluster 22: an unsupported database URL is refused without repeating its password', () => {
  for (const wrong of [
    'postgres:me:geheim',
    'postgres://me:ge#heim@db/x',
    'postgres://me:geheim%@db/x',
    'postgres://me:geheim@db:99999/x',
    'mysql://me:geheim@db/x',
    'sqlite:',
    'log.db',
    '',
  ]) {
    expect(() => parseDatabase(wrong, dirs)).toThrow(/sqlite:FILE or postgres:/)
    expect(() => parseDatabase(wrong, dirs)).not.toThrow(/geheim/)
  }
})

it('says how to write a password that does not fit into a URL', () => {
  expect(() => parseDatabase('postgres://me:ge/h#eim@db/x', dirs)).toThrow(
    /write % as %25, \/ as %2F, # as %23 and \? as %3F\. A port is a number up to 65535\.$/,
  )
})

it('refuses a mode of TLS that does not exist, which the driver would take for another', () => {
  expect(() => parseDatabase('postgres://me@db/x?sslmode=disabled', dirs)).toThrow(
    /^--database has an unknown sslmode\. It can be disable, prefer, /,
  )
  expect(() => parseDirectDatabase('postgres://me@db/x?sslmode=')).toThrow(/^--database-direct has an unknown sslmode/)
})

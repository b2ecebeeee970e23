import { afterAll, beforeAll, expect, it } from 'vitest'
import { runPolylogue } from '../cli/run-polylogue.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { createTestDatabase } from '../support/test-database.ts'

let dir: TempDir
let database: ServerDatabase
beforeAll(async () => {
  dir = await createTempDir()
  database = await createTestDatabase()
})
afterAll(async () => {
  await database.drop()
  await dir.remove()
})

const serve = (...flags: readonly string[]) =>
  runPolylogue(['serve', '--port', '0', '--data', dir.path, ...flags], { cwd: dir.path })

it.each([
  ['--redis', 'localhost:6379', '--redis must be redis://HOST or rediss://HOST.'],
  ['--redis', 'http://localhost', '--redis must be redis://HOST or rediss://HOST.'],
  ['--redis', 'redis://:geheim%@localhost', '--redis must be redis://HOST or rediss://HOST.'],
  ['--node-url', '10.0.0.1:8020', '--node-url must be an address'],
  ['--node-url', 'http://me:geheim@10.0.0.1:8020', '--node-url must be an address'],
  ['--node-url', 'http://10.0.0.1:8020/geheim', '--node-url must be an address'],
])('cluster 22: %s %s is refused at the start, in one sentence without a password', async (flag, value, sentence) => {
  const { code, stdout, stderr } = await serve('--database', database.url, flag, value)
  expect({ code, stdout }).toEqual({ code: 78, stdout: '' })
  expect(stderr).toContain(`polylogue: ${sentence}`)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).not.toContain('geheim')
})

it.each([
  ['--role', 'worker'],
  ['--redis', 'redis://localhost'],
  ['--node-url', 'http://10.0.0.1:8020'],
  ['--database-direct', 'postgres://me@db.example/x'],
])('%s is refused for a file, which one process owns', async (flag, value) => {
  const { code, stderr } = await serve(flag, value)
  expect(code).toBe(78)
  expect(stderr).toBe(`polylogue: ${flag} needs a database that several nodes can share; see --database.\n`)
})

it('cluster 22: a percent sign in a password that begins no character is refused without it', async () => {
  for (const verb of ['serve', 'doctor', 'keys list']) {
    const url = 'postgres://me:100%geheim@db.example/x'
    const args = [...verb.split(' '), '--data', dir.path, '--database', url]
    const { code, stdout, stderr } = await runPolylogue(args, { cwd: dir.path })
    expect(code).toBe(verb === 'doctor' ? 1 : 78)
    expect(stdout + stderr).toContain('write % as %25')
    expect(stdout + stderr).not.toContain('geheim')
  }
})

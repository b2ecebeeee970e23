import { createServer, connect, type Server } from 'node:net'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { examine, type Finding } from '@polylogue/server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ServerDatabase } from '../support/databases.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { createTestDatabase, query } from '../support/test-database.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'

let database: ServerDatabase
let nodes: readonly TestServer[]
let folder: TempDir

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await createTempDir()
  nodes = [await startTestServer({ database: database.url }), await startTestServer({ database: database.url })]
})

afterAll(async () => {
  for (const node of nodes) await node.stop()
  await folder.remove()
  await database.drop()
})

const examineDatabase = (url = database.url): Promise<readonly Finding[]> =>
  examine({ dataDir: folder.path, startDir: folder.path, database: url, env: {} })
const about = (findings: readonly Finding[], check: string): readonly Finding[] =>
  findings.filter((finding) => finding.check === check)

it('cluster 65: the doctor tells version, schema, settings and nodes of a live database', async () => {
  const findings = await examineDatabase()
  expect(findings.filter(({ status }) => status === 'fail')).toEqual([])
  expect(about(findings, 'versions')[0]?.message).toMatch(/PostgreSQL \d+/)
  expect(about(findings, 'database')[0]?.message).toMatch(/ is sound \(schema \d+\)\.$/)
  expect(about(findings, 'settings')[0]?.message).toMatch(
    /^fsync=on, synchronous_commit=on, full_page_writes=on, synchronous_standby_names=none, max_connections=\d+; \d+ connections/,
  )
  const [told] = about(findings, 'nodes')
  expect(told?.message.match(/\(all, \d+\.\d+\.\d+, event level 1, on [^)]+\) runs 0 sessions/g)).toHaveLength(2)
})

it('cluster 65: the doctor tells of dead nodes that hold sessions, and of two versions and levels', async () => {
  await query(
    database.url,
    `INSERT INTO polylogue.nodes (node_id, lease_until, started_at, role, version, machine, pid)
     VALUES ('1-dead', extract(epoch FROM now()) * 1000 - 60000, 0, 'all', '0.0.1', 'gone', 1), ('2-old', 9e15, 1, 'web', '0.0.1', 'here', 2);
     INSERT INTO polylogue.nodes (node_id, lease_until, started_at, role, version, machine, pid, level)
     VALUES ('3-new', 9e15, 2, 'web', '0.0.1', 'here', 3, 2);
     INSERT INTO polylogue.sessions (user_id, session_id, last_seq, summary, summary_crc, stored_bytes, owner, epoch)
     VALUES ('ada', '0190', 0, '', 0, 0, '1-dead', 1)`,
  )
  const findings = about(await examineDatabase(), 'nodes')
  const told = findings.map(({ status, message }) => `${status} ${message}`).join('\n')
  expect(told).toContain('warn 1-dead (all, 0.0.1, event level 1, on gone) runs 1 sessions has not answered since 20')
  expect(told).toMatch(/warn Nodes of 2 versions run: /)
  expect(told).toContain('3-new (web, 0.0.1, event level 2, on here)')
  expect(told).toContain('warn Nodes read events up to level 1 or 2.')
  for (const { remedy } of findings.slice(1)) expect(remedy).toBeTruthy()
})

it('cluster 21: the doctor says that a node would not start without the secret key of the others', async () => {
  const [secrets] = about(await examineDatabase(), 'secrets')
  expect(secrets).toMatchObject({
    status: 'warn',
    message: expect.stringMatching(/secret\.key is missing: a node would/),
  })
  await writeFile(join(folder.path, 'other.key'), `${'A'.repeat(43)}\n`, { mode: 0o600 })
  const env = { POLYLOGUE_SECRET_KEY_FILE: join(folder.path, 'other.key') }
  const found = await examine({ dataDir: folder.path, startDir: folder.path, database: database.url, env })
  expect(about(found, 'secrets')).toEqual([
    expect.objectContaining({ status: 'fail', message: expect.stringContaining('holds no key of the nodes') }),
  ])
})

it('cluster 19: the doctor does not call a schema of a newer server sound', async () => {
  await query(database.url, 'UPDATE polylogue.schema SET version = version + 100')
  try {
    const found = about(await examineDatabase(), 'database')
    expect(found).toEqual([
      expect.objectContaining({ status: 'fail', message: expect.stringMatching(/Use a newer server\.$/) }),
    ])
    expect(found[0]?.remedy).not.toContain('restore a backup')
  } finally {
    await query(database.url, 'UPDATE polylogue.schema SET version = version - 100')
  }
})

it('cluster 65: a database that is away is one finding', async () => {
  const findings = await examineDatabase('postgres://me@127.0.0.1:1/x')
  expect(findings.filter(({ message }) => message.includes('cannot be reached'))).toEqual([
    expect.objectContaining({ check: 'database', status: 'fail' }),
  ])
})

it('cluster 67: the doctor names a pooler between the nodes and the database', async () => {
  const pooler = await startPooler(database.url)
  try {
    const findings = about(await examineDatabase(pooler.url), 'settings')
    expect(findings).toContainEqual({
      check: 'settings',
      status: 'fail',
      message: 'A pooler such as pgbouncer answers in place of the database.',
      remedy: expect.stringContaining('serve --database-direct'),
    })
  } finally {
    pooler.server.close()
  }
})

/** Answers as a pooler does: with a process id of its own. `K` is the message that tells it. */
async function startPooler(url: string): Promise<{ readonly url: string; readonly server: Server }> {
  const { hostname, port } = new URL(url)
  const server = createServer((client) => {
    const back = connect(Number(port), hostname)
    client.pipe(back)
    back.on('data', (chunk) => {
      const at = chunk.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
      if (at >= 0) chunk.writeInt32BE(7, at + 5)
      client.write(chunk)
    })
    back.on('end', () => client.end())
    for (const socket of [client, back]) socket.on('error', () => void [client, back].map((one) => one.destroy()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { url: url.replace(`:${port}`, `:${address.port}`), server }
}

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { createFakeClock } from '@polylogue/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openPostgresStores } from './open-postgres-stores.ts'
import { toFault } from './postgres-fault.ts'
import { createPostgresStorage } from './postgres-storage.ts'
import { createTestDatabase, type TestDatabase } from './test-support/test-database.ts'

const clock = createFakeClock()
let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

const open = (url: string) => openPostgresStores({ url, clock })

it.each(['LATIN1', 'SQL_ASCII'])(
  'refuses a database with the encoding %s, which cannot keep every text',
  async (encoding) => {
    const name = `test_${randomUUID().replaceAll('-', '')}`
    await database.query(`CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`)
    const url = database.url.replace(/[^/]+$/, name)
    await expect(open(url)).rejects.toThrow(
      `The database stores text as ${encoding}, which lacks characters. Create one with ENCODING 'UTF8' (and TEMPLATE template0).`,
    )
    await database.query(`DROP DATABASE ${name}`)
  },
)

it('says in a sentence that a role lacks a right, when it describes the storage and when it opens it', async () => {
  const role = `weak_${randomUUID().replaceAll('-', '')}`
  await database.query(`CREATE ROLE ${role} LOGIN`)
  const url = database.url.replace('postgres@', `${role}@`)
  await expect(open(url)).rejects.toThrow(
    /^The database cannot be used: permission denied for database test_\w+\. The role must be allowed to make schemas \(/,
  )
  await (await open(database.url)).close()
  const sentence = 'The database cannot be used: permission denied for schema polylogue. The role must be allowed'
  await expect(open(url)).rejects.toThrow(sentence)
  await expect(createPostgresStorage(url, clock).describe()).rejects.toThrow(sentence)
  await database.query(`DROP ROLE ${role}`)
})

it.each([
  ['28P01', 'password authentication failed for user "me"'],
  ['3D000', 'database "x" does not exist'],
  ['42501', 'permission denied for schema polylogue'],
])('reports %s while nodes run as storage that cannot be used', (code, message) => {
  const fault = toFault(Object.assign(new Error(message), { code }))
  expect(fault).toMatchObject({ kind: 'broken', message: `The database cannot be used: ${message}.` })
})

it('names the option whose file cannot be read, and neither the file nor an option that is public hides in a message', async () => {
  const file = createPostgresStorage(`${database.url}?sslmode=require&sslkey=/geheim.pem`, clock)
  await expect(file.describe()).rejects.toThrow(/: the file of sslkey cannot be read \(ENOENT\)\. Correct the path/)
  const { hostname, port } = new URL(database.url)
  const socket = createPostgresStorage(`postgres:///test_none?host=${hostname}&port=${port}&user=postgres`, clock)
  await expect(socket.describe()).rejects.toThrow(
    /^The database [\d.]+\/test_none cannot be reached: database "test_none" does/,
  )
})

it('a role that may open too few connections for the jobs is refused in a sentence', async () => {
  const role = `few_${randomUUID().replaceAll('-', '')}`
  const [row] = await database.query('SELECT current_database() AS name')
  await database.query(
    `CREATE ROLE ${role} LOGIN CONNECTION LIMIT 2; ALTER DATABASE ${String(row?.['name'])} OWNER TO ${role}`,
  )
  const url = database.url.replace('postgres@', `${role}@`)
  const stores = await open(url)
  await stores.events.wantedSessions(1)
  const dispatcher = stores.cluster?.openDispatcher(() => undefined)
  const worker = { room: () => 0, take: async () => undefined, giveUp: async () => undefined }
  await expect(dispatcher?.start(worker)).rejects.toThrow(
    /^The database has no connection left for this process\. Raise max_connections or the CONNECTION LIMIT/,
  )
  await dispatcher?.close()
  await stores.close()
  await database.query(`REASSIGN OWNED BY ${role} TO postgres; DROP OWNED BY ${role}; DROP ROLE ${role}`)
})

it('cluster 67: a pooler that leads to another database than the direct address is refused before anything is made', async () => {
  const other = await createTestDatabase()
  try {
    const opening = openPostgresStores({ url: database.url, directUrl: other.url, clock })
    await expect(opening).rejects.toThrow(/^--database and --database-direct must lead to the same database\.$/)
    const made = "SELECT to_regnamespace('polylogue') AS it"
    expect([...(await other.query(made)), ...(await database.query(made))]).toEqual([{ it: null }, { it: null }])
  } finally {
    await other.drop()
  }
})

it('says that a password is missing, and keeps no connection open', async () => {
  // AuthenticationSASL, then AuthenticationSASLContinue.
  const answers = ['R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0', 'R\0\0\0\x09\0\0\0\x0b-']
  const server = createServer((socket) => socket.on('data', () => socket.write(answers.shift() ?? '', 'latin1')))
  const closed = once(server, 'connection').then(([socket]) => once(socket, 'close'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await expect(open(`postgres://me@127.0.0.1:${port}/x`)).rejects.toThrow(
    `The database 127.0.0.1:${port}/x cannot be reached: it asks for a password, and there is none in the URL, in PGPASSWORD or in ~/.pgpass.`,
  )
  await closed
  server.close()
})

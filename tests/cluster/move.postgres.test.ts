import { TRANSFER_TABLES } from '@polylogue/store-rows'
import { createPostgresStorage } from '@polylogue/store-postgres'
import { createSqliteStorage, openSqliteStores } from '@polylogue/store-sqlite'
import { asUserId, type Storage, type TransferRow } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runPolylogue } from '../cli/run-polylogue.ts'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { call, script, NEXT } from '../support/script.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { createTestDatabase } from '../support/test-database.ts'
import type { ServerDatabase } from '../support/databases.ts'

const clock = createFakeClock()
let dir: TempDir
let database: ServerDatabase
beforeEach(async () => {
  dir = await createTempDir()
  database = await createTestDatabase()
})
afterEach(async () => {
  await database.drop()
  await dir.remove()
})

const file = () => join(dir.path, 'data', 'polylogue.db')
const polylogue = (...args: readonly string[]) => runPolylogue(args, { cwd: dir.path })

/** A server that was used for a while: several users, tools, memories, schedules, rules, a deleted session. */
async function useServer(): Promise<void> {
  const server = await startServerProcess({ dataDir: join(dir.path, 'data'), startDir: dir.path })
  try {
    for (const word of ['one', 'zwei', '三', 'nul\u0000 and \u0001']) {
      const session = await openSession(server.client(V3), { agent: 'scripted' })
      await (await session.stream('delta', script(`say ${word}`))).finished()
    }
    const asked = await openSession(server.client(V3), {
      agent: 'scripted',
      clientTools: [V3.tool('ask', 'Asks', { type: 'object' })],
    })
    await (
      await asked.stream('delta', script(call('c1', 'ask', {}), NEXT, 'say then'))
    )
      .finished()
      .catch(() => undefined)
    const gone = await openSession(server.client(V3), { agent: 'scripted' })
    await server.client(V3).remove(gone.id)
    expect(await polylogue('memory', 'add', 'Prefers tabs', '--data', join(dir.path, 'data'))).toMatchObject({
      code: 0,
    })
    expect(await polylogue('permissions', 'add', 'allow', 'Read', '--data', join(dir.path, 'data'))).toMatchObject({
      code: 0,
    })
  } finally {
    await server.stop()
  }
}

async function rowsOf(storage: Storage): Promise<readonly TransferRow[]> {
  const rows: TransferRow[] = []
  for await (const row of storage.dump()) rows.push(row)
  return rows
}

const sorted = (rows: readonly TransferRow[]): readonly string[] =>
  rows.map(({ table, values }) => JSON.stringify([table, Object.entries(values).map(plain)])).sort()

const plain = ([column, value]: [string, TransferRow['values'][string]]) => [
  column,
  value instanceof Uint8Array ? `0x${Buffer.from(value).toString('hex')}` : value,
]

describe('polylogue sessions move', { timeout: 60_000 }, () => {
  it('cluster 64: what moves to Postgres and back is equal, byte for byte, and continues working', async () => {
    await useServer()
    const there = await polylogue('sessions', 'move', '--data', join(dir.path, 'data'), '--to', database.url)
    expect(there).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^Copying …\nComparing the logs …\nCopied 5 sessions with \d+ events .* are equal/s,
      ),
    })
    expect(there.stderr).not.toContain(new URL(database.url).password || 'no password')

    const back = join(dir.path, 'back.db')
    const again = await polylogue('sessions', 'move', '--from', database.url, '--to', `sqlite:${back}`)
    expect(again).toMatchObject({ code: 0, stderr: expect.stringMatching(/5 sessions with \d+ events .* are equal/s) })

    const before = await rowsOf(createSqliteStorage(file(), clock))
    expect(new Set(before.map(({ table }) => table))).toEqual(
      new Set([
        ...new Set(before.map(({ table }) => table)),
        'sessions',
        'events',
        'usage',
        'keys',
        'memories',
        'rules',
      ]),
    )
    expect(sorted(await rowsOf(createPostgresStorage(database.url, clock)))).toEqual(sorted(before))
    expect(sorted(await rowsOf(createSqliteStorage(back, clock)))).toEqual(sorted(before))

    const server = await startServerProcess({
      dataDir: join(dir.path, 'data'),
      startDir: dir.path,
      flags: ['--database', database.url],
    })
    try {
      const found = await polylogue('sessions', 'list', '--json', '--data', join(dir.path, 'data'))
      expect(JSON.parse(found.stdout)).toHaveLength(5)
      const session = await openSession(server.client(V3), { agent: 'scripted' })
      await (await session.stream('delta', script('say after'))).finished()
      const memory = await polylogue('memory', 'add', 'Another', '--data', join(dir.path, 'data'))
      expect(memory).toMatchObject({ code: 0 })
    } finally {
      await server.stop()
    }
  })

  it('cluster 64: a target with sessions, a source in use and the same database twice are refused in a sentence', async () => {
    await polylogue('run', '--data', join(dir.path, 'data'), '--agent', 'scripted', 'say x')
    const url = `sqlite:${file()}`
    const move = (...args: readonly string[]) => polylogue('sessions', 'move', ...args)
    expect(await move('--from', url, '--to', url)).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('the same'),
    })
    expect(await move('--from', `sqlite:${dir.path}/none.db`, '--to', url)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no database'),
    })
    const away = 'postgres://me@127.0.0.1:1/x'
    for (const wrong of [
      ['--from', away, '--to', url],
      ['--from', url, '--to', away],
    ]) {
      const { code, stderr } = await move(...wrong)
      expect({ code, lines: stderr.replace('Copying …\n', '').trim().split('\n').length }).toEqual({
        code: 1,
        lines: 1,
      })
      expect(stderr).toMatch(/polylogue: The database 127\.0\.0\.1:1\/x cannot be reached: .*\.\n$/)
    }
    for (const flag of ['--from', '--to'] as const) {
      const wrong = flag === '--from' ? ['--from', './x.db', '--to', url] : ['--from', url, '--to', './x.db']
      expect(await move(...wrong)).toMatchObject({
        code: 78,
        stderr: expect.stringContaining(`${flag} must be sqlite:FILE`),
      })
    }
    expect(await move('--from', url, '--to', database.url)).toMatchObject({ code: 0 })
    expect(await move('--from', url, '--to', database.url)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already holds sessions'),
    })
    expect(await move('--from', database.url, '--to', url)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already holds sessions'),
    })
    const server = await startServerProcess({ dataDir: join(dir.path, 'data'), startDir: dir.path })
    try {
      expect(await move('--from', url, '--to', `sqlite:${dir.path}/other.db`)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('in use'),
      })
    } finally {
      await server.stop()
    }
  })

  it('cluster 64: rows of every table move to Postgres and back, with what is special in them', async () => {
    const [start, back] = [join(dir.path, 'start.db'), join(dir.path, 'end.db')]
    const [one, there, other] = [
      createSqliteStorage(start, clock),
      createPostgresStorage(database.url, clock),
      createSqliteStorage(back, clock),
    ]
    await one.fill(everything())
    const stores = await openSqliteStores({ file: start, clock })
    await stores.memories.addMemory(asUserId('ada'), {
      type: 'feedback',
      content: `Prefers nul\u0000 and 三`,
      origin: 'user',
    })
    await stores.close()
    const before = await rowsOf(one)
    expect(new Set(before.map(({ table }) => table))).toEqual(new Set(Object.keys(TRANSFER_TABLES)))
    await there.fill(one.dump())
    await other.fill(there.dump())
    expect(sorted(await rowsOf(there))).toEqual(sorted(before))
    expect(sorted(await rowsOf(other))).toEqual(sorted(before))
  })

  it('cluster 64: an event that cannot be read is named with its session', async () => {
    const file = join(dir.path, 'damaged.db')
    const storage = createSqliteStorage(file, clock)
    await storage.fill(everything())
    const db = new DatabaseSync(file)
    db.exec(`UPDATE events SET data = '{"type":"nothing"}' WHERE session_id = 's-2'`)
    db.close()
    await expect(createPostgresStorage(database.url, clock).fill(storage.dump())).rejects.toThrow(
      /^Event 2147483647 of session s-2 cannot be moved: event turn\.cancel-requested is damaged: /,
    )
  })

  it('cluster 64: a move that fails on the way leaves the target empty', async () => {
    const stores = await openSqliteStores({ file: join(dir.path, 'target.db'), clock })
    await stores.close()
    for (const target of [
      createPostgresStorage(database.url, clock),
      createSqliteStorage(join(dir.path, 'target.db'), clock),
    ]) {
      await expect(target.fill(cutOff())).rejects.toThrow('the line broke')
      expect(await rowsOf(target)).toEqual([])
    }
  })

  it('cluster 64: every table moves, is derived from others, or does not outlive a server', async () => {
    const stores = await openSqliteStores({ file: join(dir.path, 'new.db'), clock })
    await stores.close()
    const db = new DatabaseSync(join(dir.path, 'new.db'), { readOnly: true })
    const embedded = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    db.close()
    await createPostgresStorage(database.url, clock).fill(none())
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const { rows: shared } = await client.query<Record<string, unknown>>(TABLES)
    await client.end()
    const known = new Set([...Object.keys(TRANSFER_TABLES), ...DERIVED, ...SHORT_LIVED])
    const names = [...embedded, ...shared]
      .map(({ name }) => String(name))
      .filter((name) => !/^(sqlite|search_words|memory_words)_/.test(name))
    expect([...new Set(names)].filter((name) => !known.has(name))).toEqual([])
  })
})

const TABLES = `SELECT relname AS name FROM pg_class
  WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'polylogue'::regnamespace`

/** `draft_parts` are `drafts`. */
const DERIVED = [
  'usage_days',
  'user_sizes',
  'search_marks',
  'search_words',
  'memory_words',
  'spoken_words',
  'draft_parts',
  'projection_marks',
]
const SHORT_LIVED = ['sign_in_codes', 'kept_sockets', 'nodes', 'settings', 'schema']

const ODD = 'nul\u0000, \u0001, \ud800, 三 and %\\'
const CANCEL = 'turn.cancel-requested'
const LARGEST = 2 ** 31 - 1

/** Two rows of every table but memories, which have ids of their own: one is full, the other lacks what may be absent. */
async function* everything(): AsyncGenerator<TransferRow> {
  for (const [table, columns] of Object.entries(TRANSFER_TABLES)) {
    if (table === 'memories') continue
    for (const isFull of [true, false]) {
      const values = Object.entries(columns).map(([column, type]) => [column, valueOf({ column, type, isFull })])
      yield { table, values: Object.fromEntries(values) }
    }
  }
}

function valueOf({ column, type, isFull }: { column: string; type: string; isFull: boolean }) {
  if (!isFull && ABSENT.has(column)) return null
  if (column === 'session_id') return isFull ? 's-1' : 's-2'
  if (column === 'data') return JSON.stringify({ type: CANCEL, turnId: ODD, reason: 'user' })
  if (column === 'type') return CANCEL
  if (type === 'bytes') return isFull ? new Uint8Array([0, 255, 1]) : new Uint8Array()
  if (type === 'integer') return SMALL.has(column) ? 1 : LARGEST
  return isFull ? `${column} ${ODD}` : `${column} of another`
}

const SMALL: ReadonlySet<string> = new Set(['version', 'is_pinned', 'is_started', 'is_told', 'is_enabled'])
const ABSENT: ReadonlySet<string> = new Set([
  ...['wanted_since', 'reserved_batches', 'directory', 'key_id', 'nano', 'currency', 'expires_at'],
  ...['last_used_at', 'revoked_at'],
])

async function* none(): AsyncGenerator<TransferRow> {}

async function* cutOff(): AsyncGenerator<TransferRow> {
  yield { table: 'deleted_sessions', values: { session_id: 's' } }
  yield { table: 'rules', values: { rule_id: 'r', user_id: 'u', place: 1, created_at: 1, rule: '{}', crc: 1 } }
  throw new Error('the line broke')
}

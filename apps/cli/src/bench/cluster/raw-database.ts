import pg from 'pg'
import { percentile } from '../bench-result.ts'

export interface RawDatabase {
  /** One commit of a row of 400 bytes after the other, on one connection. */
  readonly commitP50Ms: number
  /** The same on eight connections at once. */
  readonly commitsPerSecond: number
  /** Rows in groups of 32, on one connection, as nodes write. */
  readonly groupedRowsPerSecond: number
}

const FOR_MS = 2_000
const CONNECTIONS = 8
const GROUP = 32
const ROW = 'x'.repeat(400)

/** What the database does without us, in a table that is removed afterwards. */
export async function measureRawDatabase(url: string): Promise<RawDatabase> {
  await using stack = new AsyncDisposableStack()
  const clients: pg.Client[] = []
  for (let index = 0; index < CONNECTIONS; index++) {
    const client = stack.adopt(new pg.Client({ connectionString: url }), (opened) => opened.end())
    await client.connect()
    clients.push(client)
  }
  const [first] = clients as [pg.Client, ...pg.Client[]]
  await first.query('CREATE TABLE bench_rows (id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL)')
  stack.defer(async () => void (await first.query('DROP TABLE bench_rows')))
  const insert = (client: pg.Client, rows: readonly string[]): Promise<unknown> =>
    client.query({ name: 'insert', text: 'INSERT INTO bench_rows (text) SELECT unnest($1::text[])', values: [rows] })
  const one = [ROW]
  const alone = await repeat(() => insert(first, one))
  const together = await Promise.all(clients.map((client) => repeat(() => insert(client, one))))
  const grouped = await repeat(() =>
    insert(
      first,
      Array.from({ length: GROUP }, () => ROW),
    ),
  )
  const perSecond = (count: number): number => (count * 1000) / FOR_MS
  return {
    commitP50Ms: percentile(alone, 0.5),
    commitsPerSecond: perSecond(together.reduce((sum, times) => sum + times.length, 0)),
    groupedRowsPerSecond: perSecond(grouped.length * GROUP),
  }
}

/** How long each repetition took, in milliseconds. */
async function repeat(work: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  const end = performance.now() + FOR_MS
  for (let before = performance.now(); before < end;) {
    await work()
    const after = performance.now()
    times.push(after - before)
    before = after
  }
  return times
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { exchangeText } from '../support/http-exchange.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { TALK, WAYS, describeWay, findFaults, openCutStreams } from './cut-streams.ts'
import { startFaultProxy } from './support/fault-proxy.ts'
import { throughProxy } from './support/through-proxy.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
const CUTS = 60
/** Of many connections in a row. */
const BAD_NETWORKS = 4
/** Bytes before such a connection is lost, at most: the headers and an event or two. */
const SHORT = 1200
const LANES = 4

let dir: TempDir
let server: ServerProcess

beforeAll(async () => {
  dir = await createTempDir()
  server = await startServerProcess({ dataDir: dir.path })
})

afterAll(async () => {
  await server.stop()
  await dir.remove()
})

describe(`a stream that is cut after any byte (seed ${SEED})`, () => {
  it.each(WAYS.map((way) => ({ way, name: describeWay(way) })))('is sent whole at the end: $name', async ({ way }) => {
    await using stack = new AsyncDisposableStack()
    const lanes = await Promise.all(Array.from({ length: LANES }, () => openCutStreams(server, way)))
    for (const lane of lanes) stack.use(lane)
    const length = lanes[0]?.length ?? 0
    expect(length).toBeGreaterThan(4096)

    const random = createSeededRandom(`${SEED} ${describeWay(way)}`)
    const single = Array.from({ length: CUTS }, () => [random.int(length)])
    const many = Array.from({ length: BAD_NETWORKS }, () => Array.from({ length: 8 }, () => random.int(SHORT)))
    const { faults } = await findFaults(lanes, [...single, ...many])
    expect(faults).toEqual([])
  })
})

describe('a network that says everything twice', () => {
  it('starts one turn with a request that has a key', async () => {
    const session = await openSession(server.client(V3), { tools: [{ name: 'echo', trust: true }] })
    const proxy = await startFaultProxy(server)
    proxy.plan({ isDoubled: true })
    const start = session.client.exchange('POST', V3.turns(session.id), {
      body: { messages: [{ role: 'user', content: TALK }] },
      headers: { 'idempotency-key': 'once' },
    })
    const answer = await exchangeText(throughProxy(start, proxy))
    await proxy.stop()
    expect(answer.status).toBe(200)
    expect((await session.talk()).filter(({ role }) => role === 'user')).toHaveLength(1)
  })
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { WAYS, describeWay, findFaults, openCutStreams } from './cut-streams.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
/** Clients that lose their connection eight times in a row. */
const BAD_NETWORKS = 500
/** Bytes before such a connection is lost, at most: the headers and an event or two. */
const SHORT = 1200
const LANES = 8

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

it.each(WAYS.map((way) => ({ way, name: describeWay(way) })))('cut after every byte: $name', async ({ way, name }) => {
  const seconds = startStopwatch()
  await using stack = new AsyncDisposableStack()
  const lanes = await Promise.all(Array.from({ length: LANES }, () => openCutStreams(server, way)))
  for (const lane of lanes) stack.use(lane)
  const length = lanes[0]?.length ?? 0
  expect(length).toBeGreaterThanOrEqual(4096)

  const random = createSeededRandom(`${SEED} ${name}`)
  const everyByte = Array.from({ length }, (_, byte) => [byte])
  const badNetworks = Array.from({ length: BAD_NETWORKS }, () => Array.from({ length: 8 }, () => random.int(SHORT)))
  const { count, faults } = await findFaults(lanes, [...everyByte, ...badNetworks])
  tellProof({
    id: 'F9',
    what: `an event stream cut after every byte, and ${BAD_NETWORKS} streams each cut eight times at random (${name}): the client's log equals the server's`,
    count,
    failures: faults.length,
    seed: SEED,
    seconds: seconds(),
  })
  expect(faults).toEqual([])
})

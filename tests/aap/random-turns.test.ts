import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { DIALECTS } from '../support/aap-dialect.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { playRandomTurns } from './random-turns.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
/** For each stream mode and version. The proof plays 2,000 in all. */
const TURNS = 40
const MODES = ['delta', 'message', 'none'] as const

let dir: TempDir
let server: TestServer
beforeAll(async () => {
  dir = await createTempDir()
  const configFile = join(dir.path, 'budgets.json')
  await writeFile(configFile, JSON.stringify({ budgets: { turn: { steps: 4 } } }))
  server = await startTestServer({ configFile })
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

describe.each(DIALECTS)(`the loop of the official client at $base (seed ${SEED})`, (dialect) => {
  it.each(MODES)('is never refused and never stuck, and has the history of the server: %s', async (mode) => {
    const random = createSeededRandom(`${SEED} ${dialect.name} ${mode}`)
    const { faults } = await playRandomTurns(server.client(dialect), { mode, turns: TURNS, random })
    expect(faults).toEqual([])
  })
})

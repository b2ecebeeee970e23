import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { DIALECTS } from '../support/aap-dialect.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { startTestServer } from '../support/test-server.ts'
import { playRandomTurns } from './random-turns.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
/** Of each stream mode and version: 2,004 in all. */
const TURNS = 334
const MODES = ['delta', 'message', 'none'] as const
const WAYS = DIALECTS.flatMap((dialect) => MODES.map((mode) => ({ dialect, mode, base: dialect.base })))

it.each(WAYS)('random turns of the official loop: $mode at $base', { timeout: 600_000 }, async ({ dialect, mode }) => {
  const seconds = startStopwatch()
  const dir = await createTempDir()
  const configFile = join(dir.path, 'budgets.json')
  await writeFile(configFile, JSON.stringify({ budgets: { turn: { steps: 4 } } }))
  const server = await startTestServer({ configFile })
  const random = createSeededRandom(`${SEED} proof ${dialect.name} ${mode}`)
  const { turns, faults } = await playRandomTurns(server.client(dialect), { mode, turns: TURNS, random })
  await server.stop()
  await dir.remove()
  tellProof({
    id: 'A1',
    what: `turns with sub-agents, questions, budgets and tools of the client, answered as the official client does (${mode} at ${dialect.base}): no refusal, no stall, both histories equal the log`,
    count: turns,
    failures: faults.length,
    seed: SEED,
    seconds: seconds(),
  })
  expect(faults).toEqual([])
})

import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { fuzzCommands } from './fuzz-commands.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
const PLAN = { commands: 50_000, parsedByBash: 3000, recorded: 1000 }

it('C16: 50,000 commands', async () => {
  const seconds = startStopwatch()
  const seed = createHash('sha256').update(SEED).digest().readInt32BE()
  const { complaints, slowestMs } = await fuzzCommands({ ...PLAN, seed })
  tellProof({
    id: 'C16',
    what: `generated commands: shown, hashed and executed bytes are the same (${PLAN.recorded} of them read from the running shell), unknown syntax is never taken as understood (${PLAN.parsedByBash} checked against bash), limits deny, wrappers are never covered; the slowest took ${Math.round(slowestMs)} ms to inspect`,
    count: PLAN.commands,
    failures: complaints.length,
    seed: SEED,
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
})

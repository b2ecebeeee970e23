import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { createAcpWorld } from './support/acp-world.ts'
import { ENDS, endEditor } from './support/end-editors.ts'
import { sendMalformed } from './support/send-malformed.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'birch'
const EDITORS = 204
const FRAMES = 10_000

it(`F19: ${EDITORS} editors end in ${ENDS.length} ways`, async () => {
  const seconds = startStopwatch()
  const random = createSeededRandom(SEED)
  const complaints: string[] = []
  for (let index = 0; index < EDITORS; index++) {
    const end = ENDS[index % ENDS.length] ?? 'EOF'
    const complaint = await endEditor(end, index % 4 < 2 ? 'alone' : 'pipe', random)
    if (complaint !== undefined) complaints.push(complaint)
  }
  tellProof({
    id: 'F19',
    what: `editors that disconnect in the middle of a turn in ${ENDS.length} ways, alone and beside a server: exit code 0 within 6 s, no process left`,
    count: EDITORS,
    failures: complaints.length,
    complaints,
    seed: SEED,
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
})

it(`B1: ${FRAMES} malformed frames on stdio`, async () => {
  const seconds = startStopwatch()
  const complaints: string[] = []
  for (const way of ['alone', 'pipe'] as const) {
    const world = await createAcpWorld()
    if (way === 'pipe') await world.serve()
    complaints.push(...(await sendMalformed(await world.start(), `${SEED} ${way}`, FRAMES / 2)))
    await world.close()
  }
  tellProof({
    id: 'B1',
    what: 'malformed JSON-RPC frames on the stdin of an ACP process, alone and beside a server: each is refused with its code, and no process exits',
    count: FRAMES,
    failures: complaints.length,
    complaints,
    seed: SEED,
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
})

import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { crossAnswers } from './crossed-answers.ts'
import { FAULTS } from './faults.ts'
import { createMcpWorld } from './mcp-world.ts'
import { playFault } from './play-faults.ts'

const ROUNDS = 20
const CROSSING = { clients: 200, callsEach: 250 }

it(`F16: ${FAULTS.length} faults of MCP servers, ${ROUNDS} times each`, async () => {
  const seconds = startStopwatch()
  const beside = await createMcpWorld()
  const neighbour = beside.pool.hold([beside.misbehaving('well')])
  await neighbour.settled()
  const complaints: string[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const fault of FAULTS) {
      const complaint = await playFault(fault, neighbour)
      if (complaint !== undefined) complaints.push(`round ${round}: ${complaint}`)
    }
  }
  await beside.end()
  tellProof({
    id: 'F16',
    what: `stdio MCP servers that fail in ${FAULTS.length} ways: reported in time, the server beside them keeps working, no process left`,
    count: ROUNDS * FAULTS.length,
    failures: complaints.length,
    seed: 'none',
    seconds: seconds(),
    complaints,
  })
  expect(complaints).toEqual([])
})

it(`C9: ${CROSSING.clients} clients with equal ids`, async () => {
  const seconds = startStopwatch()
  const complaints = await crossAnswers(CROSSING)
  tellProof({
    id: 'C9',
    what: `calls of ${CROSSING.clients} clients of one MCP server, all with the same request ids: every answer reached the client that asked`,
    count: CROSSING.clients * CROSSING.callsEach,
    failures: complaints.length,
    seed: 'none',
    seconds: seconds(),
    complaints,
  })
  expect(complaints).toEqual([])
})

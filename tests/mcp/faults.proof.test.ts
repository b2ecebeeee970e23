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
    what: `MCP servers over standard input and output that fail in ${FAULTS.length} ways: told of in time, the server beside it well, no process left`,
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
    what: `calls of ${CROSSING.clients} clients of one MCP server, each with the same ids: every answer went to whoever asked`,
    count: CROSSING.clients * CROSSING.callsEach,
    failures: complaints.length,
    seed: 'none',
    seconds: seconds(),
    complaints,
  })
  expect(complaints).toEqual([])
})

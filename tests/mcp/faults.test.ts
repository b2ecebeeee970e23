import { afterAll, beforeAll, expect, it } from 'vitest'
import type { McpHold } from '@polylogue/tools'
import { FAULTS } from './faults.ts'
import { createMcpWorld, type McpWorld } from './mcp-world.ts'
import { playFault } from './play-faults.ts'

let beside: McpWorld
let neighbour: McpHold

beforeAll(async () => {
  beside = await createMcpWorld()
  neighbour = beside.pool.hold([beside.misbehaving('well')])
  await neighbour.settled()
})
afterAll(() => beside.end())

it.concurrent.each(FAULTS)(
  'a server with the fault $name is reported within the time limit and leaves no process',
  async (fault) => {
    expect(await playFault(fault, neighbour)).toBeUndefined()
  },
)

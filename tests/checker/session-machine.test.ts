import fc from 'fast-check'
import { describe, it } from 'vitest'
import { machineSequence, type MachineModel } from './machine/commands.ts'
import { judge } from './machine/judge.ts'
import { World } from './machine/world.ts'

const RUNS = 1_000

describe('a session', () => {
  it('behaves like its model, whatever clients, models, tools, crashes and clocks do', async () => {
    await fc.assert(
      fc.asyncProperty(machineSequence(), async (sequence) => {
        const world = new World()
        const model: MachineModel = { sessions: [], names: 0 }
        await fc.asyncModelRun(() => ({ model, real: world }), sequence)
        await judge(world, (index) => model.sessions[index]?.isDeleted === true)
      }),
      { numRuns: RUNS },
    )
  }, 120_000)
})

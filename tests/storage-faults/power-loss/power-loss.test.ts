import { describe, expect, it } from 'vitest'
import { COUNTS } from '../counts.ts'
import { createSeededRandom } from '../seeded-random.ts'
import type { FileOperation } from './file-operation.ts'
import { replayWorkload } from './replay-workload.ts'
import { createSimulatedDisk } from './simulated-disk.ts'

const { workloads, test, forgetful } = COUNTS.powerLoss

describe('when the power goes', () => {
  it.each(['brisk', 'shipped'] as const)(
    'at any moment of a %s store, all that was acknowledged is there and nothing is damaged',
    async (name) => {
      const { lost } = await replayWorkload(workloads[name], test.seeds, test.images[name])
      expect(lost).toEqual([])
    },
    180_000,
  )

  it('a store that does not wait for the disk is found out', async () => {
    const { lost } = await replayWorkload(forgetful.workload, [forgetful.seed], forgetful.images)
    expect(lost.length).toBeGreaterThan(forgetful.images / 10)
    expect(lost.flatMap(({ problems }) => problems).join('\n')).toMatch(/I1 .* was acknowledged and is stored 0 times/)
  }, 60_000)
})

describe('the simulated disk', () => {
  const write = (offset: number, text: string): FileOperation => ({
    type: 'write',
    name: 'a',
    offset,
    bytes: Buffer.from(text),
  })
  const outcomes = (...operations: FileOperation[]): readonly string[] => {
    const disk = createSimulatedDisk()
    for (const operation of operations) disk.apply(operation)
    const found = Array.from({ length: 200 }, (_, seed) =>
      disk
        .imageAfterPowerLoss(createSeededRandom(String(seed)))
        .get('a')
        ?.toString()
        .replaceAll('\0', '.'),
    )
    return [...new Set(found.map((text) => text ?? 'no file'))].sort()
  }
  const create: FileOperation = { type: 'create', name: 'a' }
  const sync: FileOperation = { type: 'sync', name: 'a' }
  const syncNames: FileOperation = { type: 'sync-directory' }

  it('keeps synced data and may lose the rest', () => {
    expect(outcomes(create, syncNames, write(0, 'old'), sync)).toEqual(['old'])
    expect(outcomes(create, syncNames, write(0, 'old'), sync, write(0, 'new'))).toEqual(['new', 'old'])
  })

  it('keeps writes in any order', () => {
    expect(outcomes(create, syncNames, write(0, 'a'), write(1, 'b'))).toEqual(['', '.b', 'a', 'ab'])
  })

  it('tears a write between sectors', () => {
    const torn = outcomes(create, syncNames, write(510, 'abcd')).map((text) => text.replace(/^\.+/, ''))
    expect(torn.sort()).toEqual(['', 'ab', 'abcd', 'cd'])
  })

  it('forgets names until the directory was synced', () => {
    expect(outcomes(create, write(0, 'x'), sync)).toEqual(['no file', 'x'])
    expect(outcomes(create, write(0, 'x'), sync, syncNames, { type: 'unlink', name: 'a' })).toEqual(['no file', 'x'])
    const renamed: FileOperation[] = [
      { type: 'create', name: 'b' },
      { type: 'rename', from: 'b', name: 'a' },
    ]
    expect(outcomes(create, write(0, 'x'), sync, syncNames, ...renamed)).toEqual(['', 'x'])
  })
})

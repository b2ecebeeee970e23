import fc from 'fast-check'
import { expect, it } from 'vitest'
import { moves, playSession } from '../test-support/random-session.ts'

it('blade 48: the events of a session are ordered, numbered, and fold to its history', async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (plan) => {
      expect(await playSession(plan)).toEqual([])
    }),
    { numRuns: 200 },
  )
})

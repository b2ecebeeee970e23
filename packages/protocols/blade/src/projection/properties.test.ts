import fc from 'fast-check'
import { expect, it } from 'vitest'
import { moves, playSession } from '../test-support/random-session.ts'

it('blade 48: whatever happens in a session, what is told of it is in order, numbered, and folds to its history', async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (plan) => {
      expect(await playSession(plan)).toEqual([])
    }),
    { numRuns: 200 },
  )
})

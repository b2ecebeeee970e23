import { describe, expect, it } from 'vitest'
import { drain } from './drain.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
const MANY = { turns: 20, streams: 60, seed: SEED }

describe(`a busy server that gets a stop signal (seed ${SEED})`, () => {
  it('lets its turns end, notifies every client, and exits with 0', { timeout: 60_000 }, async () => {
    const { exitCode, exitMs, finishedBefore, complaints } = await drain({ ...MANY, restMs: [200, 2500] })
    expect(complaints).toEqual([])
    expect({ exitCode, finishedBefore }).toEqual({ exitCode: 0, finishedBefore: 20 })
    expect(exitMs).toBeLessThan(10_000)
  })

  it(
    'exits immediately on a second signal, and its successor continues where it was',
    { timeout: 60_000 },
    async () => {
      const plan = { ...MANY, restMs: [500, 4000], secondAfterMs: 700 } as const
      const { exitCode, exitMs, finishedBefore, complaints } = await drain(plan)
      expect(complaints).toEqual([])
      expect(exitCode).toBe(0)
      expect(finishedBefore).toBeLessThan(20)
      expect(exitMs).toBeLessThan(4000)
    },
  )

  it('takes two SIGINT at a time for one Ctrl-C, as it arrives under npm', { timeout: 60_000 }, async () => {
    const plan = {
      turns: 3,
      streams: 3,
      seed: SEED,
      restMs: [1000, 1500],
      signal: 'SIGINT',
      secondAfterMs: 100,
    } as const
    const { exitCode, finishedBefore, complaints } = await drain(plan)
    expect(complaints).toEqual([])
    expect({ exitCode, finishedBefore }).toEqual({ exitCode: 0, finishedBefore: 3 })
  })

  it('leaves at once at the second Ctrl-C', { timeout: 60_000 }, async () => {
    const plan = {
      turns: 3,
      streams: 3,
      seed: SEED,
      restMs: [4000, 4000],
      signal: 'SIGINT',
      secondAfterMs: 1300,
    } as const
    const { exitCode, finishedBefore, complaints } = await drain(plan)
    expect(complaints).toEqual([])
    expect({ exitCode, finishedBefore }).toEqual({ exitCode: 0, finishedBefore: 0 })
  })
})

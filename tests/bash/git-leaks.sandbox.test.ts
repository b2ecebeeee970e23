import { expect, it } from 'vitest'
import { GIT_LEAKS, readLeaks } from './git-leaks.ts'

/** Every sixth. The proof reads all. */
const SAMPLE = GIT_LEAKS.filter((_, index) => index % 6 === 0)

it('no reading command of Git prints a file to which a repository leads, but which lies outside of it', async () => {
  expect(GIT_LEAKS.length).toBeGreaterThanOrEqual(110)
  const { notWorking, leaks, unasked } = await readLeaks(SAMPLE)
  expect(notWorking).toEqual([])
  expect(leaks).toEqual([])
  expect(unasked).toEqual([])
}, 120_000)

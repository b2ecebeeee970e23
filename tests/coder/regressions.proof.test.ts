// Each regression alone turns its task red. `evaluation.test.ts` plants several at a time.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { REGRESSIONS } from './regressions.ts'
import { findRed } from './run-evaluation.ts'

let dir: TempDir
beforeAll(async () => {
  dir = await createTempDir()
})
afterAll(() => dir.remove())

it.each(REGRESSIONS)('$name turns $task red', { timeout: 120_000 }, async (regression) => {
  expect(await findRed(dir.path, [regression], [regression.task])).toEqual([regression.task])
})

import { expect, it } from 'vitest'
import { checkOpenedPaths, checkWrittenPaths } from './check-paths.ts'

const SEED = 20_260_101

it('M4: every path that can be opened is in the workspace', async () => {
  const { opened } = await checkOpenedPaths({ runs: 2000, seed: SEED })
  expect(opened).toBeGreaterThan(300)
}, 120_000)

it('M4: whatever path is written, nothing outside of the workspace changes', async () => {
  const { opened } = await checkWrittenPaths({ runs: 150, seed: SEED })
  expect(opened).toBeGreaterThan(20)
}, 120_000)

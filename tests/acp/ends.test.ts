import { expect, it, vi } from 'vitest'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { endEditor } from './support/end-editors.ts'

// Several processes are started one after another, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000 })

it('F19: polylogue acp ends in time and leaves no process when its parent is killed or its pipes are half closed', async () => {
  const random = createSeededRandom('elm')
  expect(await endEditor('parent killed', 'alone', random)).toBeUndefined()
  expect(await endEditor('half closed', 'alone', random)).toBeUndefined()
})

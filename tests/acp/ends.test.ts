import { expect, it } from 'vitest'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { endEditor } from './support/end-editors.ts'

it('F19: it ends in time and leaves nothing when its parent is killed, and when its pipes are half closed', async () => {
  const random = createSeededRandom('elm')
  expect(await endEditor('parent killed', 'alone', random)).toBeUndefined()
  expect(await endEditor('half closed', 'alone', random)).toBeUndefined()
})

// Samples of the long lines; `npm run proof` runs them whole. Bounds are ten times those of a quiet machine.
import { afterAll, beforeAll, it } from 'vitest'
import { chatOn } from './chat.ts'
import { checkHeap, checkScrub, checkSteady } from './long-lines.ts'
import { type Stage, openStage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ flags: ['--js-flags=--expose-gc'] })
})
afterAll(() => stage.close())

it('console 24: a steady stream of deltas leaves the page free to type', async () => {
  await checkSteady(stage, { seconds: 4, longestTaskMs: 1_000, typingMs: 2_000 })
})
it('console 25: the heap does not keep what long answers needed', async () => {
  await checkHeap(chatOn(stage.page), { answers: 3, mostMb: 60 })
})
it('console 51: a long log is scrubbed in short steps', async () => {
  await checkScrub(stage, { events: 3_000, steps: 4, stepMs: 5_000 })
})

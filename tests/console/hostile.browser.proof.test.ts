// Everything hostile, whole. `npm test` has samples in hostile.browser.test.ts.
import { afterAll, beforeAll, it } from 'vitest'
import { type Canary, checkCards, checkMarkup, openCanary, openHostileStage } from './hostile-lines.ts'
import { proven } from './prove.ts'
import type { Stage } from './stage.ts'

let stage: Stage
let canary: Canary
beforeAll(async () => {
  canary = await openCanary()
  stage = await openHostileStage()
})
afterAll(async () => {
  await stage.close()
  canary.close()
})

it(
  'console 67, 69: 200 hostile texts',
  proven({ what: 'hostile texts, none of which runs a script, loads an image or breaks the policy', count: 200 }, () =>
    checkMarkup(stage, canary),
  ),
  600_000,
)
it(
  'console 68: 60 ways out of a card',
  proven({ what: 'ways out of a card, none of which reaches another server', count: 60 }, () =>
    checkCards(stage, canary),
  ),
  600_000,
)

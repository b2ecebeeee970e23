// The long lines of the console, whole. `npm test` has samples of them in long.browser.test.ts.
import { afterAll, beforeAll, it } from 'vitest'
import { chatOn } from './chat.ts'
import { checkHeap, checkScrub, checkSent, checkSteady, checkStop } from './long-lines.ts'
import { checkOpening, checkPaint } from './opening-lines.ts'
import { proven } from './prove.ts'
import { type Stage, openStage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ flags: ['--js-flags=--expose-gc'] })
})
afterAll(() => stage.close())

it(
  'console 2: the first paint comes within a second',
  proven({ what: 'first paints', count: 10 }, () => checkPaint(stage, { times: 10, mostMs: 1_000 })),
)
it(
  'console 22: 10,000 turns open at their end within 1.5 s',
  proven({ what: 'a session of 10,000 turns opens', count: 1 }, () =>
    checkOpening(stage, { turns: 10_000, mostMs: 1_500, mostRows: 200 }),
  ),
)
it(
  'console 3: a sent message shows within 100 ms',
  proven({ what: 'sent messages, shown at once', count: 20 }, async () => {
    const chat = chatOn(stage.page)
    await chat.begin('say Ready')
    await chat.answered('Ready')
    const texts = Array.from({ length: 20 }, (_, index) => `say Message ${index}`)
    const told = await checkSent(stage, { texts, mostMs: 100 })
    await chat.rests()
    return told
  }),
)
it(
  'console 9: Esc stops within a second',
  proven({ what: 'Esc stops an answer and the command that it runs', count: 1 }, () =>
    checkStop(stage, { mostMs: 1_000 }),
  ),
)
it(
  'console 24: 100 deltas a second for 60 s',
  proven({ what: 'deltas at 100 a second leave the page free to type', count: 6_000 }, () =>
    checkSteady(stage, { seconds: 60, longestTaskMs: 50, typingMs: 100 }),
  ),
  240_000,
)
it(
  'console 25: 20 long answers',
  proven({ what: 'long answers in one page', count: 20 }, () =>
    checkHeap(chatOn(stage.page), { answers: 20, mostMb: 30 }),
  ),
  600_000,
)
it(
  'console 51: 100,000 events',
  proven({ what: 'steps of the slider in a log of 100,000 events', count: 20 }, () =>
    checkScrub(stage, { events: 100_000, steps: 20, stepMs: 200 }),
  ),
  900_000,
)

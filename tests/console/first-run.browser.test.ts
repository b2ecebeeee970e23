import { afterAll, beforeAll, expect, it } from 'vitest'
import { chatOn } from './chat.ts'
import { checkPaint } from './opening-lines.ts'
import { type Stage, openStage, withoutLosses } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ scripted: false })
})
afterAll(() => stage.close())

it('console 2: the first paint comes soon', async () => {
  // 1 s on a quiet machine, which `npm run proof -- console` measures.
  await checkPaint(stage, { times: 1, mostMs: 10_000 })
})

it('console 57: the first run leads to an answer in three clicks at most', async () => {
  const { page } = stage
  await page.getByRole('button', { name: 'Hello! What can you do?' }).click()
  await page.locator('.agent-row .markdown:not(.plain)').first().waitFor()
  await chatOn(page).rests()
  expect(await page.locator('.said').innerText()).toBe('Hello! What can you do?')
  expect((await chatOn(page).rows()).at(-1)).not.toBe('')
  expect(withoutLosses(stage.complaints)).toEqual([])
})

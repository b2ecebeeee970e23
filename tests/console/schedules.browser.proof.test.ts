import { afterAll, beforeAll, expect, it } from 'vitest'
import { chatOn } from './chat.ts'
import { proven } from './prove.ts'
import { type Stage, openStage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

it(
  'console 56: a run of a task is listed on its day and opens its session',
  proven({ what: 'run of a task, from the calendar to its session', count: 1 }, openRun),
  180_000,
)

async function openRun(): Promise<void> {
  const { page } = stage
  const headers = { authorization: `Bearer ${stage.server().localKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ title: 'Every minute', prompt: 'It ran by itself', cron: '* * * * *' })
  await fetch(`${stage.server().url}/api/scheduled-tasks`, { method: 'POST', headers, body })
  await page.goto(`${stage.server().url}/schedules`)
  const run = page.locator('.day-list [data-run]').first()
  await run.waitFor({ timeout: 120_000 })
  await run.locator('a').click()
  await page.locator('.said').getByText('It ran by itself').waitFor()
  await page.locator('.agent-row .markdown:not(.plain)').first().waitFor()
  await chatOn(page).rests()
  expect(new URL(page.url()).pathname).toMatch(/^\/s\//)
}

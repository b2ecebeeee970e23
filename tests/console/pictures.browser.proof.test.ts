// Makes the pictures of docs/console.md and the README. `UPDATE_PICTURES=1 npm run proof -- pictures` writes them.
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatOn } from './chat.ts'
import { type Stage, openStage } from './stage.ts'

const FOLDER = fileURLToPath(new URL('../../docs/images/', import.meta.url))
/** A blank page of this size has fewer bytes. */
const LEAST_BYTES = 8_000

async function take(page: Page, name: string): Promise<void> {
  await page.evaluate('document.fonts.ready')
  const picture = await page.screenshot()
  expect(picture.length).toBeGreaterThan(LEAST_BYTES)
  if (process.env['UPDATE_PICTURES'] === undefined) return
  await mkdir(FOLDER, { recursive: true })
  await writeFile(`${FOLDER}console-${name}.png`, picture)
}

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage({ colorScheme, scripted: false })
  })
  afterAll(() => stage.close())

  it('first run, the chat with a plan and an approval, on a phone, doors and the past', async () => {
    const { page } = stage
    const chat = chatOn(page)
    await take(page, `first-run-${colorScheme}`)
    await page.getByRole('button', { name: 'Do a small piece of work' }).click()
    await page.locator('.ask .question').waitFor()
    await take(page, `question-${colorScheme}`)
    await page.locator('.ask input[type=radio]').first().check()
    await page.getByRole('button', { name: 'Answer' }).click()
    const allow = chat.card.getByRole('button', { name: /^Allow/ })
    await allow.waitFor({ timeout: 60_000 })
    await chat.card.getByLabel(/^Always, as a rule/).check()
    await chat.card.locator('[data-backtest]').waitFor()
    await take(page, `chat-${colorScheme}`)
    await page.setViewportSize({ width: 390, height: 780 })
    await take(page, `phone-${colorScheme}`)
    await page.setViewportSize({ width: 1280, height: 800 })
    await chat.card.getByLabel('Once').check()
    await allow.click()
    await page.locator('.composer-stop').waitFor({ state: 'detached', timeout: 60_000 })
    const session = new URL(page.url()).pathname
    await page.goto(`${stage.server().url}${session}/doors?seq=20`)
    await page.locator('.doors-row[data-seq="20"]').waitFor()
    await page.locator('.clients li[data-door]').waitFor()
    await page.locator('.wire-fold').first().click()
    await take(page, `doors-${colorScheme}`)
    await page.goto(`${stage.server().url}${session}?at=20`)
    await page.locator('.past[data-at="20"] .agent-row').first().waitFor()
    await take(page, `past-${colorScheme}`)
    await page.goto(`${stage.server().url}/usage`)
    await page.locator('.usage-table tbody tr').first().waitFor()
    await take(page, `usage-${colorScheme}`)
    await page.goto(`${stage.server().url}/manage/rules`)
    await page.locator('.manage-add').waitFor()
    await take(page, `rules-${colorScheme}`)
    await page.goto(`${stage.server().url}${session}`)
    await page.locator('.agent-row').last().waitFor()
    await stage.stop()
    await page.locator('.banner').waitFor()
    await take(page, `offline-${colorScheme}`)
    await stage.start()
  }, 180_000)
})

import { readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Chat, chatOn } from './chat.ts'
import { type Stage, openStage, withoutLosses } from './stage.ts'

let stage: Stage
let chat: Chat

beforeAll(async () => {
  stage = await openStage({
    config: (folder) => ({
      mcpServers: { files: mcpServerIn(folder) },
      budgets: { turn: { steps: 700 }, key: { per: 'day', money: 20, tokens: 9_000_000, whenSpent: 'stop' } },
    }),
  })
  chat = chatOn(stage.page)
  await chat.begin('say Something that costs tokens')
  await chat.answered('costs tokens')
  await chat.rests()
})
afterAll(() => stage.close())

const require = createRequire(import.meta.url)
const FILESYSTEM = join(
  dirname(require.resolve('@modelcontextprotocol/server-filesystem/package.json')),
  'dist/index.js',
)

/** A server that tells its process id, and does not start while there is a file `down`. */
const mcpServerIn = (folder: string) => ({
  command: '/bin/sh',
  args: [
    '-c',
    `test ! -e ${folder}/down && echo $$ > ${folder}/pid && exec '${process.execPath}' '${FILESYSTEM}' ${folder}`,
  ],
})

const ask = async (path: string, key = stage.server().localKey): Promise<Response> =>
  fetch(`${stage.server().url}${path}`, { headers: { authorization: `Bearer ${key}` } })
const open = (path: string) => stage.page.goto(`${stage.server().url}${path}`)

it('console 52: a key is shown once and works until it is revoked', async () => {
  await open('/manage/keys')
  await stage.page.getByLabel('Name of the key').fill('laptop')
  await stage.page.getByRole('button', { name: 'Make a key' }).click()
  const key = await stage.page.locator('.made-key code').innerText()
  expect((await ask('/api/polylogue/me', key)).status).toBe(200)
  const { sessions } = (await (await ask('/api/polylogue/sessions')).json()) as {
    sessions: readonly { sessionId: string }[]
  }
  const followed = await ask(`/api/polylogue/sessions/${sessions[0]?.sessionId}/events?follow=1`, key)
  expect(followed.status).toBe(200)
  const ended = followed.text().then(
    () => 'ended',
    () => 'ended',
  )
  await stage.page.reload()
  const row = stage.page.locator('tr').filter({ hasText: 'laptop' })
  await row.waitFor()
  expect(await stage.page.content()).not.toContain(key)
  await row.getByRole('button', { name: 'Revoke' }).click()
  await row.waitFor({ state: 'detached' })
  expect((await ask('/api/polylogue/me', key)).status).toBe(401)
  expect(await ended).toBe('ended')
})

it('console 52: the browser that looks is marked, and is not signed out by one click', async () => {
  await open('/manage/keys')
  const own = stage.page.locator('tr').filter({ hasText: 'this browser' })
  await own.waitFor()
  await own.getByRole('button', { name: 'Revoke' }).click()
  await stage.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await stage.page.reload()
  await own.waitFor()
})

it('a wrong address shows a page of the console, and /manage its first part', async () => {
  const answer = await open('/nothing/here')
  expect(answer?.status()).toBe(404)
  await stage.page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  await stage.page.locator('main').getByRole('link', { name: 'Go to the start page' }).click()
  await stage.page.locator('.composer textarea').waitFor()
  await stage.page.locator('.rail').getByRole('link', { name: 'Manage' }).click()
  await stage.page.locator('.tabs [aria-current=page]').filter({ hasText: 'Agents' }).waitFor()
  for (const path of ['/manage/models', '/manage/rules']) {
    await open(path)
    await stage.page.locator('.rail [aria-current=page]').filter({ hasText: 'Manage' }).waitFor()
  }
  expect(await stage.page.locator('.tabs [aria-current=page]').innerText()).toBe('Rules')
})

it('console 53: rules are tried before they are added, changed, ordered and removed; memories are added, changed, disabled and removed', async () => {
  await open('/manage/rules')
  await stage.page.getByLabel('Action').selectOption('allow')
  await stage.page.getByLabel('Tool').fill('Bash')
  await stage.page.getByLabel('Argument and pattern').fill('command=^ls$')
  await stage.page.getByRole('button', { name: 'Try on past calls' }).click()
  await stage.page.locator('[data-backtest]').waitFor()
  await stage.page.getByRole('button', { name: 'Add the rule' }).click()
  const rule = stage.page.locator('tr').filter({ hasText: 'command=^ls$' })
  await rule.waitFor()
  await rule.getByRole('button', { name: 'Edit' }).click()
  await stage.page.getByLabel('Argument and pattern').fill('command=^ls -l$')
  await stage.page.getByRole('button', { name: 'Try on past calls' }).click()
  await stage.page.getByRole('button', { name: 'Save the rule' }).click()
  const changed = stage.page.locator('tr').filter({ hasText: 'command=^ls -l$' })
  await changed.waitFor()
  await stage.page.getByLabel('Tool').fill('Write')
  await stage.page.getByRole('button', { name: 'Try on past calls' }).click()
  await stage.page.getByRole('button', { name: 'Add the rule' }).click()
  const rules = stage.page.locator('tr[data-rule]')
  await expect.poll(() => rules.count()).toBe(2)
  await stage.page.getByRole('button', { name: 'Try earlier: 2' }).click()
  await expect
    .poll(async () => (await rules.allInnerTexts()).map((text) => /Bash|Write/.exec(text)?.[0]))
    .toEqual(['Write', 'Bash'])
  await stage.page.reload()
  await rules.first().waitFor()
  expect(await rules.first().innerText()).toContain('Write')
  await rules.first().getByRole('button', { name: 'Remove' }).click()
  await changed.getByRole('button', { name: 'Remove' }).click()
  await changed.waitFor({ state: 'detached' })

  await open('/manage/memories')
  await stage.page.getByLabel('Something to remember').fill('We deploy on Tuesdays')
  await stage.page.getByRole('button', { name: 'Remember' }).click()
  const memory = stage.page.locator('tr').filter({ hasText: 'Tuesdays' })
  await memory.getByRole('button', { name: 'Edit' }).click()
  await stage.page.getByLabel('Change the memory').fill('We deploy on Tuesdays at noon')
  await stage.page.getByLabel('Change the memory').press('Enter')
  await stage.page.getByText('We deploy on Tuesdays at noon').waitFor()
  await memory.getByRole('button', { name: 'Disable' }).click()
  await memory.getByRole('button', { name: 'Enable' }).waitFor()
  await memory.getByRole('button', { name: 'Remove' }).click()
  await memory.waitFor({ state: 'detached' })
})

it('console 55: usage is what the server sums up, and an unknown price is a question mark', async () => {
  const { rows } = (await (await ask('/api/polylogue/usage?by=model')).json()) as {
    rows: readonly { model: string; calls: number; inputTokens: number; outputTokens: number }[]
  }
  await open('/usage')
  await stage.page.locator('.usage-table tbody tr').first().waitFor()
  const shown = stage.page.locator('.usage-table tbody tr')
  expect(await shown.count()).toBe(rows.length)
  const count = (amount: number): string =>
    new Intl.NumberFormat('en', { notation: amount >= 10_000 ? 'compact' : 'standard' }).format(amount)
  for (const [index, { model, calls, inputTokens, outputTokens }] of rows.entries()) {
    const cells = await shown.nth(index).locator('td').allInnerTexts()
    expect(cells).toEqual([model, count(calls), count(inputTokens), count(outputTokens), '?'])
  }
})

it('console 54: the health of an MCP server turns within 5 s when it dies, and when it is back', async () => {
  // The page has a clock that stands still, so that a slow machine takes nothing from its 5 s.
  const context = await stage.newContext({ storageState: await stage.context.storageState() })
  const page = await context.newPage()
  await page.clock.install()
  await page.goto(`${stage.server().url}/manage/mcp`)
  const row = page.locator('tr[data-mcp=files]')
  await row.getByText('ready').waitFor()
  await page.clock.pauseAt(Date.now() + 60_000)
  const known = async (): Promise<string | undefined> => {
    const { servers } = (await (await ask('/api/polylogue/mcp')).json()) as {
      servers: readonly { name: string; state: string }[]
    }
    return servers.find(({ name }) => name === 'files')?.state
  }
  await writeFile(join(stage.folder, 'down'), '')
  process.kill(Number(await readFile(join(stage.folder, 'pid'), 'utf8')), 'SIGKILL')
  await expect.poll(known, { timeout: 30_000 }).toBe('failed')
  await page.clock.runFor(5_000)
  await row.getByText('failed').waitFor()
  await rm(join(stage.folder, 'down'))
  await expect.poll(known, { timeout: 60_000 }).toBe('ready')
  await page.clock.runFor(5_000)
  await row.getByText('ready').waitFor()
  await context.close()
})

it('console 58: a link that a phone reads as a QR code signs it in, once', async () => {
  await open('/connect')
  await stage.page.getByRole('button', { name: 'Make a link' }).click()
  await stage.page.getByRole('img', { name: 'The link as a QR code' }).waitFor()
  const link = await stage.page.locator('[data-link]').innerText()
  const path = (await stage.page.locator('.qr-code path').getAttribute('d')) ?? ''
  // A code of this length has at least 29 by 29 modules, about half of them dark.
  expect(path.split('z').length - 1).toBeGreaterThan(300)
  const phone = await stage.newContext()
  const page = await phone.newPage()
  await page.setViewportSize({ width: 390, height: 780 })
  await page.goto(link)
  await page.locator('.composer textarea').waitFor()
  await page.goto('about:blank')
  await page.goto(link)
  await page.getByRole('alert').waitFor()
  await phone.close()
})

it('the budgets of each agent are shown with what happens when they are used up', async () => {
  await open('/manage/budgets')
  const row = stage.page.locator('[data-budget=scripted]')
  await row.waitFor()
  expect((await row.locator('td').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())).toEqual([
    'scripted',
    '700 steps then it asks',
    '–',
    '$20.00, 9M tokens a day then it stops',
  ])
  const { budgets } = (await (await ask('/api/polylogue/budgets')).json()) as { budgets: readonly unknown[] }
  expect(await stage.page.locator('[data-budget]').count()).toBe(budgets.length)
})

it('console 56: the calendar shows the due times that the API lists', async () => {
  await open('/schedules')
  await stage.page.getByRole('button', { name: 'New task' }).click()
  await stage.page.getByLabel('Title').fill('Report')
  await stage.page.getByLabel('What the agent is told').fill('say Report')
  await stage.page.getByLabel('When (cron)').fill('0 23 * * *')
  await stage.page.getByRole('button', { name: 'Save' }).click()
  const days = stage.page.locator('.month-day')
  await days.first().waitFor()
  const first = await days.first().getAttribute('data-day')
  const last = await days.last().getAttribute('data-day')
  const from = new Date(first ?? '')
  const to = new Date(Date.parse(last ?? '') + 24 * 60 * 60 * 1000)
  const [task] = (await (
    await ask(`/api/scheduled-tasks/calendar?from=${from.toISOString()}&to=${to.toISOString()}`)
  ).json()) as { occurrences: string[] }[]
  const due = task?.occurrences.filter((time) => Date.parse(time) > Date.now()) ?? []
  expect(due.length).toBeGreaterThan(0)
  const shown = stage.page.locator('.month-day').filter({ has: stage.page.locator('.month-count') })
  await expect.poll(() => shown.count(), { timeout: 15_000 }).toBe(due.length)
  const keys = await shown.evaluateAll((all) => all.map((day) => day.getAttribute('data-day')))
  expect(keys).toEqual(due.map((time) => time.slice(0, 10)))
  const row = stage.page.locator('.tasks li').filter({ hasText: 'Report' })
  await row.getByText('Every day at 11:00').waitFor()
  // The address of a task opens it.
  await open(`/schedules/${await row.getAttribute('data-task')}`)
  await stage.page.getByRole('dialog').getByText('Every day at 11:00').waitFor()
  await stage.page.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => new URL(stage.page.url()).pathname).toBe('/schedules')
  await row.getByRole('button', { name: 'Disable' }).click()
  await row.getByRole('button', { name: 'Enable' }).waitFor()
  await row.getByRole('button', { name: 'Remove' }).click()
  await stage.page.getByText('Nothing is scheduled.').waitFor()
})

it('console 56: a task that is due often is counted on every day', async () => {
  await open('/schedules')
  await stage.page.getByRole('button', { name: 'New task' }).click()
  await stage.page.getByLabel('Title').fill('Often')
  await stage.page.getByLabel('What the agent is told').fill('say Often')
  await stage.page.getByLabel('When (cron)').fill('*/10 9-20 * * *')
  await stage.page.getByRole('button', { name: 'Save' }).click()
  await stage.page.locator('.month-head button').last().click()
  const days = stage.page.locator('.month-day')
  // 72 a day are more than the server lists at once.
  await expect.poll(() => days.last().locator('.month-count').allInnerTexts(), { timeout: 15_000 }).toEqual(['72'])
  const row = stage.page.locator('.tasks li').filter({ hasText: 'Often' })
  await row.getByText('Every 10 minutes from 9:00').waitFor()
  await row.getByRole('button', { name: 'Remove' }).click()
  await stage.page.getByText('Nothing is scheduled.').waitFor()
})

it('console 71: no page broke a rule of its own', () => {
  expect(withoutLosses(stage.complaints)).toEqual([])
})

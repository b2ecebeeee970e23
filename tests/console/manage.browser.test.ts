import { execFile, spawn } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runPolylogue } from '../cli/run-polylogue.ts'
import { connectAcp } from './acp-client.ts'
import { type Chat, chatOn } from './chat.ts'
import { readQr } from './read-qr.ts'
import { type Stage, openStage, withoutLosses } from './stage.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
let stage: Stage
let chat: Chat

beforeAll(async () => {
  stage = await openStage({
    config: (folder) => ({
      mcpServers: { files: mcpServerIn(folder) },
      agents: [{ name: 'priced', instructions: 'Be short.', model: 'demo' }],
      prices: { 'polylogue/demo': { input: 300, output: 1_500, currency: 'USD' } },
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
/** A whole turn of a new session. */
async function turn(agent: string, content: string): Promise<void> {
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${stage.server().url}/aap/v3/sessions${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.server().localKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const { sessionId } = (await (await post('', { agent: { name: agent } })).json()) as { sessionId: string }
  const answer = await post(`/${sessionId}/turns`, { stream: 'none', messages: [{ role: 'user', content }] })
  expect(answer.status).toBe(200)
  await answer.arrayBuffer()
}
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
  const socket = io(stage.server().url ?? '', { auth: { token: key }, transports: ['websocket'], reconnection: false })
  const disconnected = new Promise((resolve) => socket.once('disconnect', resolve))
  await new Promise((resolve) => socket.once('connect', () => resolve(undefined)))
  const editor = await connectAcp(stage.server().url ?? '', key)
  await stage.page.reload()
  const row = stage.page.locator('tr').filter({ hasText: 'laptop' })
  await row.waitFor()
  expect(await stage.page.content()).not.toContain(key)
  await row.getByRole('button', { name: 'Revoke' }).click()
  await row.waitFor({ state: 'detached' })
  expect((await ask('/api/polylogue/me', key)).status).toBe(401)
  expect(await ended).toBe('ended')
  await Promise.all([disconnected, editor.closed])
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

interface Amounts {
  readonly [name: string]: unknown
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: Readonly<Record<string, number>>
  readonly unpricedCalls: number
}

/** What `polylogue usage` prints about this server. */
async function usageBy(by: string): Promise<{ readonly rows: readonly Amounts[]; readonly total: Amounts }> {
  const args = ['usage', '--by', by, '--json', '--data', stage.dataDir]
  const { stdout } = await runPolylogue(args, { cwd: stage.dataDir })
  return JSON.parse(stdout) as { rows: readonly Amounts[]; total: Amounts }
}

const shownAmounts = ({ calls, inputTokens, outputTokens, cost, unpricedCalls }: Amounts): readonly string[] => {
  const count = new Intl.NumberFormat('en')
  const known = Object.entries(cost).map(([currency, amount]) =>
    new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 4 }).format(amount),
  )
  const shownCost = [...known, ...(unpricedCalls > 0 ? ['?'] : [])].join(' + ')
  return [...[calls, inputTokens, outputTokens].map((amount) => count.format(amount)), shownCost]
}

it('console 55: usage is what polylogue usage prints, and an unknown price is a question mark', async () => {
  // A large amount, which is not rounded, and a model that has a price.
  await turn('scripted', `say ${'many words '.repeat(8_000)}`)
  await turn('priced', 'Hello')
  await open('/usage')
  const shown = stage.page.locator('.usage-table tbody tr')
  for (const by of ['model', 'agent', 'key', 'session', 'day']) {
    await stage.page.locator('.tabs').getByRole('button', { name: by }).click()
    const { rows, total } = await usageBy(by)
    expect(rows.length).toBeGreaterThan(0)
    const wanted = rows.map((row) => [String(row[by]), ...shownAmounts(row)])
    const cells = () =>
      shown.evaluateAll((lines) => lines.map((line) => [...line.querySelectorAll('td')].map((cell) => cell.innerText)))
    await expect.poll(cells, { timeout: 15_000 }).toEqual(wanted)
    const [calls, input, output, cost] = shownAmounts(total)
    expect(await stage.page.locator('.usage-total dd').allInnerTexts()).toEqual([cost, calls, input, output])
  }
  const { rows } = await usageBy('model')
  const costs = rows.map((row) => shownAmounts(row)[3])
  expect([costs.includes('?'), costs.some((cost) => cost?.startsWith('$'))]).toEqual([true, true])
})

it('console 55: the bars of each day are stacked by model, with a legend in words, and say the same as a table', async () => {
  await turn('scripted', 'say For the bars')
  await turn('priced', 'Hello')
  await open('/usage')
  const { rows } = await usageBy('day,model')
  const wanted = rows
    .map(({ model, inputTokens, outputTokens }) => ({ model: String(model), tokens: inputTokens + outputTokens }))
    .toSorted((a, b) => b.tokens - a.tokens)
  const [largest, smallest, ...others] = wanted.map(({ tokens }) => tokens)
  if (largest === undefined || smallest === undefined) throw new Error('two models were used')
  expect(others).toEqual([])
  const shown = (amount: number): string =>
    new Intl.NumberFormat('en', { notation: amount >= 10_000 ? 'compact' : 'standard' }).format(amount)
  const figure = stage.page.locator('.usage-bars')
  await expect
    .poll(() => figure.locator('.bars-legend li').allTextContents(), { timeout: 15_000 })
    .toEqual(wanted.map(({ model, tokens }) => ` ${model} ${shown(tokens)}`))
  const table = figure.getByRole('table', { name: 'Tokens by day and model' })
  const cellsOf = (row: number) => table.getByRole('row').nth(row).locator('th, td').allTextContents()
  expect(await cellsOf(0)).toEqual(['Day', ...wanted.map(({ model }) => model), 'All models'])
  const [, ...today] = await cellsOf(14)
  expect(today).toEqual([largest, smallest, largest + smallest].map(shown))
  expect(await table.getByRole('row').count()).toBe(15)
  const stack = figure.locator('.bars b').last()
  const heights = await stack.locator('i').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
  const whole = (await stack.boundingBox())?.height ?? 0
  const least = 2
  const toScale = [largest, smallest].map((tokens) => Math.max(least, (whole * tokens) / (largest + smallest)))
  for (const [index, height] of heights.entries()) expect(Math.abs(height - (toScale[index] ?? 0))).toBeLessThan(least)
  expect(heights.length).toBe(2)
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
  // The page reads every two seconds. One read may fall into a try of the server to connect again.
  const turns = async (state: string): Promise<void> => {
    for (let second = 0; second < 4 && !(await row.getByText(state).isVisible()); second += 2) {
      const answered = page.waitForResponse(/\/api\/polylogue\/mcp$/)
      await page.clock.runFor(2_000)
      await answered
    }
    await row.getByText(state).waitFor()
  }
  await writeFile(join(stage.folder, 'down'), '')
  process.kill(Number(await readFile(join(stage.folder, 'pid'), 'utf8')), 'SIGKILL')
  await expect.poll(known, { timeout: 30_000 }).toBe('failed')
  await turns('failed')
  await rm(join(stage.folder, 'down'))
  await expect.poll(known, { timeout: 60_000 }).toBe('ready')
  await turns('ready')
  await context.close()
})

it('console 58: a link that a phone reads as a QR code signs it in, once', async () => {
  await open('/connect')
  await stage.page.getByRole('button', { name: 'Make a link' }).click()
  await stage.page.getByRole('img', { name: 'The link as a QR code' }).waitFor()
  const link = await stage.page.locator('[data-link]').innerText()
  const code = stage.page.locator('.qr-code')
  const drawn = (await code.locator('path').getAttribute('d')) ?? ''
  const dark = new Set([...drawn.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`))
  const [, , width] = ((await code.getAttribute('viewBox')) ?? '').split(' ').map(Number)
  // Around the code is a border of two modules.
  const scanned = readQr((width ?? 0) - 4, (x, y) => dark.has(`${x + 2} ${y + 2}`))
  expect(scanned).toBe(link)
  const phone = await stage.newContext()
  const page = await phone.newPage()
  await page.setViewportSize({ width: 390, height: 780 })
  await page.goto(scanned)
  await page.locator('.composer textarea').waitFor()
  const [cookie] = await phone.cookies()
  expect([cookie?.httpOnly, cookie?.sameSite]).toEqual([true, 'Strict'])
  const me = 'fetch("/api/polylogue/me").then((answer) => answer.json())'
  expect(await page.evaluate(me)).toMatchObject({ user: 'local', via: 'cookie' })
  await page.goto('about:blank')
  await page.goto(scanned)
  await page.getByRole('alert').waitFor()
  await phone.close()
})

it('the lines of Connect run as they are, given the key', async () => {
  await open('/connect')
  const block = (name: string) => stage.page.locator('.connect-block').filter({ hasText: name }).locator('pre')
  const environment = { ...process.env, KEY: stage.server().localKey }
  const run = async (env: NodeJS.ProcessEnv) =>
    promisify(execFile)('sh', ['-c', await block('curl').innerText()], { env })
  expect(await run(environment)).toEqual({ stdout: expect.stringContaining('turn_stop'), stderr: '' })
  // With a wrong key they say why nothing comes.
  await expect(run({ ...environment, KEY: 'sk-wrong' })).rejects.toMatchObject({
    stderr: expect.stringContaining('401'),
  })
  const program = spawn(process.execPath, ['--input-type=module', '--eval', await block('JavaScript').innerText()], {
    cwd: ROOT,
    env: environment,
  })
  try {
    for await (const printed of program.stdout) if (String(printed).includes('chat:end')) return
    expect.unreachable('the program ended before its turn')
  } finally {
    program.kill()
  }
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

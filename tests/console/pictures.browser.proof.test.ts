// Makes the pictures of docs/console.md and the README. `UPDATE_PICTURES=1 npm run proof -- pictures` writes them.
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { call, script } from '../support/script.ts'
import { connectAcp } from './acp-client.ts'
import { chatOn } from './chat.ts'
import { type Stage, openStage } from './stage.ts'

const FOLDER = fileURLToPath(new URL('../../docs/images/', import.meta.url))
/** A blank page of this size has fewer bytes. */
const LEAST_BYTES = 8_000

/** The ten screens of the console's contract, and three more. */
const SCREENS = [
  ...['first-run', 'streaming', 'chat', 'phone', 'doors', 'search', 'usage', 'rules', 'schedules', 'offline'],
  ...['question', 'past', 'palette'],
]
const made = new Set<string>()
const seconds = startStopwatch()
afterAll(() => {
  const wanted = SCREENS.flatMap((screen) => [`${screen}-light`, `${screen}-dark`])
  const missing = wanted.filter((name) => !made.has(name))
  const count = wanted.length - missing.length
  const what = `pictures of ${SCREENS.length} screens, in light and in dark`
  tellProof({
    id: 'pictures',
    what,
    count,
    failures: missing.length,
    seed: 'none',
    seconds: seconds(),
    complaints: missing,
  })
})

async function take(page: Page, name: string): Promise<void> {
  await page.evaluate('document.fonts.ready')
  // Until the code for Markdown is there, text is plain.
  await page.locator('.markdown.plain').first().waitFor({ state: 'detached' })
  // So is the body of an open call, and nothing is half faded.
  await expect.poll(() => page.evaluate(CLOSED_BODIES)).toBe(0)
  await page.evaluate(FADED)
  const picture = await page.screenshot()
  expect(picture.length).toBeGreaterThan(LEAST_BYTES)
  made.add(name)
  if (process.env['UPDATE_PICTURES'] === undefined) return
  await mkdir(FOLDER, { recursive: true })
  await writeFile(`${FOLDER}console-${name}.png`, picture)
}

const CLOSED_BODIES = `document.querySelectorAll('.call:has(.call-head[aria-expanded=true]):not(:has(.call-body))').length`
const FADED = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect?.getTiming().iterations !== Infinity)
  .map(({ finished }) => finished))`

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage({ colorScheme, scripted: false })
  })
  afterAll(() => stage.close())

  it('first run, a question, the past, usage, rules, schedules, the palette and offline', async () => {
    const { page } = stage
    const chat = chatOn(page)
    await page.getByRole('button', { name: 'Do a small piece of work' }).waitFor()
    await take(page, `first-run-${colorScheme}`)
    await page.getByRole('button', { name: 'Do a small piece of work' }).click()
    await page.locator('.ask .question').waitFor()
    await take(page, `question-${colorScheme}`)
    await page.locator('.ask input[type=radio]').first().check()
    await page.getByRole('button', { name: 'Answer', exact: true }).click()
    await chat.card.getByRole('button', { name: /^Allow/ }).click({ timeout: 60_000 })
    await page.locator('.composer-stop').waitFor({ state: 'detached', timeout: 60_000 })
    const session = new URL(page.url()).pathname
    await page.goto(`${stage.server().url}${session}?at=20`)
    await page.locator('.past[data-at="20"] .agent-row').first().waitFor()
    await take(page, `past-${colorScheme}`)
    await page.goto(`${stage.server().url}/usage`)
    await page.locator('.usage-table tbody tr').first().waitFor()
    await page.locator('.bars-legend li').first().waitFor()
    await take(page, `usage-${colorScheme}`)
    await page.goto(`${stage.server().url}/manage/rules`)
    await page.locator('.manage-add').waitFor()
    for (const [action, tool, argument] of [
      ['allow', 'Bash', 'command=^npm test'],
      ['deny', 'WebFetch', 'url=^http:'],
      ['ask', 'Write', 'path=\\.env$'],
    ] as const) {
      await page.getByLabel('Action').selectOption(action)
      await page.getByLabel('Tool').fill(tool)
      await page.getByLabel('Argument and pattern').fill(argument)
      await page.getByRole('button', { name: 'Try on past calls' }).click()
      await page.locator('[data-backtest]').waitFor()
      await page.getByRole('button', { name: 'Add the rule' }).click()
      await page.locator('tr[data-rule]').filter({ hasText: tool }).waitFor()
    }
    await page.getByLabel('Action').selectOption('ask')
    await page.getByLabel('Tool').fill('Bash')
    await page.getByRole('button', { name: 'Try on past calls' }).click()
    await page.locator('[data-backtest]').waitFor()
    await take(page, `rules-${colorScheme}`)
    await page.goto(`${stage.server().url}/schedules`)
    await page.getByRole('button', { name: 'New task' }).click()
    await page.getByLabel('Title').fill('Morning report')
    await page.getByLabel('What the agent is told').fill('Summarize what changed since yesterday.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.month-count').first().waitFor()
    await take(page, `schedules-${colorScheme}`)
    await page.goto(`${stage.server().url}${session}`)
    await page.locator('.agent-row').last().waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.locator('.palette input').waitFor()
    await take(page, `palette-${colorScheme}`)
    await page.keyboard.press('Escape')
    await stage.stop()
    await page.locator('.banner').waitFor()
    await take(page, `offline-${colorScheme}`)
    await stage.start()
  }, 180_000)

  it('a chat that streams, with its plan, calls and a sub-agent', async () => {
    const streaming = await openStage({ colorScheme, scripted: false })
    const page = await streaming.context.newPage()
    let spoken = 0
    await page.routeWebSocket(/socket\.io/, (socket) => {
      const server = socket.connectToServer()
      socket.onMessage((message) => server.send(message))
      server.onMessage((message) => {
        if (spoken >= 5) return
        socket.send(message)
        // After some words of the sub-agent nothing more comes, so that the picture is always the same.
        if (IS_SUB_AGENT.test(String(message)) && SAYS_WORDS.test(String(message))) spoken++
      })
    })
    const chat = chatOn(page)
    await page.goto(streaming.server().url ?? '')
    await page.getByRole('button', { name: 'Do a small piece of work' }).click()
    await page.locator('.ask input[type=radio]').first().check()
    await page.getByRole('button', { name: 'Answer', exact: true }).click()
    await chat.card.getByRole('button', { name: /^Allow/ }).click({ timeout: 60_000 })
    await page.locator('.sub-agent .markdown').first().waitFor({ timeout: 60_000 })
    await page.mouse.move(640, 760)
    await take(page, `streaming-${colorScheme}`)
    await streaming.close()
  }, 180_000)

  it('an approval with its diff, also on a phone; doors with three clients', async () => {
    const scripted = await openStage({
      colorScheme,
      config: (folder) => ({ acp: { roots: { local: [folder] } } }),
    })
    const { page } = scripted
    const chat = chatOn(page)
    const { url = '', localKey = '' } = scripted.server()
    const headers = { authorization: `Bearer ${localKey}`, 'content-type': 'application/json' }
    await writeFile(join(scripted.folder, 'login.ts'), LOGIN)
    const rule = JSON.stringify({ tool: 'Edit', action: 'ask' })
    await fetch(`${url}/api/polylogue/permissions`, { method: 'POST', headers, body: rule })
    const editor = await connectAcp(url, localKey)
    const session = String((await editor.request('session/new', { cwd: scripted.folder, mcpServers: [] }))['sessionId'])
    await fetch(`${url}/api/sessions/${session}`, {
      method: 'PATCH',
      headers,
      body: JSON.stringify({ intent: 'Fix the login' }),
    })
    await page.goto(`${url}/s/${session}`)
    await page.locator('.chat[data-phase=ready]').waitFor()
    const follow = new AbortController()
    const followed = await fetch(`${url}/aap/v3/sessions/${session}/events?follow=true`, {
      headers,
      signal: follow.signal,
    })
    const reading = followed.text().catch(() => 'ended')
    void editor.begin('session/prompt', { sessionId: session, prompt: [{ type: 'text', text: FIX }] })
    await chat.card.locator('.diff').waitFor()
    await chat.card.getByLabel(/^Always, as a rule/).check()
    await take(page, `chat-${colorScheme}`)
    await page.setViewportSize({ width: 390, height: 780 })
    await take(page, `phone-${colorScheme}`)
    await page.setViewportSize({ width: 1280, height: 800 })
    await chat.card.getByLabel('Once').check()
    await chat.card.getByRole('button', { name: /^Allow/ }).click()
    await chat.answered('Both tests pass now.')
    await chat.rests()
    await page.goto(`${url}/s/${session}/doors?seq=12`)
    await page.locator('.doors-row[data-seq="12"]').waitFor()
    for (const door of ['aap', 'acp', 'blade']) await page.locator(`.clients li[data-door^=${door}]`).first().waitFor()
    await page.locator('.wire-fold').first().click()
    await take(page, `doors-${colorScheme}`)
    follow.abort()
    expect(await reading).toBe('ended')
    editor.close()
    await scripted.close()
  }, 120_000)

  it('a hit in Chinese', async () => {
    requireChineseFont()
    const { page } = stage
    const chat = chatOn(page)
    await page.goto(stage.server().url ?? '')
    await chat.say('部署失败了，因为磁盘已满。请看一下日志。')
    await page.locator('.agent-row').first().waitFor()
    await page.evaluate("localStorage.setItem('polylogue.language', 'zh-CN')")
    await page.goto(`${stage.server().url}/sessions?q=${encodeURIComponent('磁盘已满')}`)
    await page.locator('.found-row mark').first().waitFor()
    await take(page, `search-${colorScheme}`)
    await page.evaluate("localStorage.removeItem('polylogue.language')")
  }, 120_000)
})

const IS_SUB_AGENT = /"turn:patch".*"loop_id":"(?!root")/
/** Not what it thinks before it speaks. */
const SAYS_WORDS = /"type":"text","text_delta":"[^"]/

const LOGIN = `import { hash } from './hash.ts'

export function isSame(given: string, stored: string): boolean {
  return hash(given) === stored.trim()
}

export const rounds = 12
`

const PLAN = ['Read the failing test', 'Fix the login', 'Run the tests'].map((content, index) => ({
  content,
  status: index === 0 ? 'completed' : index === 1 ? 'in_progress' : 'pending',
}))

const FIX = script(
  'think The hash is compared before it is trimmed.',
  'say Two tests fail: the stored hash is trimmed, but the given one is not.',
  call('p1', 'TodoWrite', { todos: PLAN }),
  call('r1', 'Read', { path: 'login.ts' }),
  '---',
  'say I trim **both**, in one place:',
  call('e1', 'Edit', {
    path: 'login.ts',
    oldText: '  return hash(given) === stored.trim()',
    newText: '  const [left, right] = [hash(given), stored].map((text) => text.trim())\n  return left === right',
  }),
  '---',
  'say Both tests pass now.',
)

/** Without one, Chinese is drawn as empty boxes. */
function requireChineseFont(): void {
  const isThere = (): boolean => execFileSync('fc-list', [':lang=zh'], { encoding: 'utf8' }).trim() !== ''
  if (isThere()) return
  if (process.getuid?.() === 0) {
    execFileSync('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', 'fonts-wqy-zenhei'], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  }
  if (!isThere()) throw new Error('The pictures need a Chinese font: install fonts-wqy-zenhei and run again.')
}

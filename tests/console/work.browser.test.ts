import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { type Chat, chatOn } from './chat.ts'
import { type Stage, openStage, withoutLosses } from './stage.ts'

let stage: Stage
let chat: Chat

beforeAll(async () => {
  stage = await openStage({
    config: () => ({
      providers: { anthropic: { apiKey: 'sk-no-key' } },
      agents: [{ name: 'small', instructions: 'Be short.', model: 'scripted', contextWindow: 20_000 }],
    }),
  })
  chat = chatOn(stage.page)
  await stage.page.setViewportSize({ width: 1440, height: 900 })
})
afterAll(() => stage.close())

const path = (): string => new URL(stage.page.url()).pathname
/** The page then believes that it is hidden, or visible. */
const see = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))`)
const WAIT = { timeout: 15_000 }
const leaves = async (from: string): Promise<void> => {
  await expect.poll(path, WAIT).not.toBe(from)
}

describe('a fork', () => {
  it('console 72: an edited message is sent in a fork, and both sessions stay and name each other', async () => {
    await chat.begin('say First answer')
    await chat.answered('First answer')
    await chat.rests()
    await chat.say('say Second answer')
    await chat.answered('Second answer')
    await chat.rests()
    const parent = path()
    const said = stage.page.locator('.user-row').nth(1)
    await said.hover()
    await said.getByRole('button', { name: 'Edit the message' }).click()
    await said.getByRole('textbox').fill('say Another second answer')
    await said.getByRole('textbox').press('Enter')
    await leaves(parent)
    await chat.answered('Another second answer')
    await chat.rests()
    expect(await chat.rows()).toEqual([
      'say First answer',
      'First answer',
      'say Another second answer',
      'Another second answer',
    ])
    const fork = path()
    await stage.page.locator(`.chat-header a[href="${parent}"]`).click()
    await chat.answered('Second answer')
    await stage.page.getByRole('button', { name: '1 fork' }).click()
    await stage.page.getByRole('menuitem').first().click()
    await expect.poll(path, WAIT).toBe(fork)
  })

  it('console 72: an answer is asked for again in a fork, from the first message too', async () => {
    await chat.begin('say Once more')
    await chat.answered('Once more')
    await chat.rests()
    const parent = path()
    const row = stage.page.locator('.agent-row')
    await row.hover()
    await row.getByRole('button', { name: 'Answer again' }).click()
    await leaves(parent)
    await chat.answered('Once more')
    await chat.rests()
    expect(await chat.rows()).toEqual(['say Once more', 'Once more'])
  })

  it('console 14: a failed step says why and offers to try again', async () => {
    await chat.begin('say About to fail\nfail')
    const problem = stage.page.locator('.row-problem')
    await problem.waitFor()
    expect(await problem.innerText()).toMatch(/^The step failed\. .+/)
    await chat.rests()
    const parent = path()
    await problem.getByRole('button', { name: 'Try again' }).click()
    await leaves(parent)
    await problem.waitFor()
    await chat.rests()
    expect((await chat.rows())[0]).toBe('say About to fail\nfail')
  })
})

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

it('console 13: files are pasted, dropped and chosen, and images show after a reload', async () => {
  await chat.begin('say Ready')
  await chat.answered('Ready')
  await chat.rests()
  const [chooser] = await Promise.all([
    stage.page.waitForEvent('filechooser'),
    stage.page.getByRole('button', { name: 'Add files' }).click(),
  ])
  await chooser.setFiles([{ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('some notes') }])
  const give = (event: string) => `((target, bytes) => {
    const data = new DataTransfer()
    data.items.add(new File([new Uint8Array(bytes)], '${event}.png', { type: 'image/png' }))
    const init = { bubbles: true, cancelable: true, clipboardData: data, dataTransfer: data }
    target.dispatchEvent('${event}' === 'paste' ? new ClipboardEvent('paste', init) : new DragEvent('drop', init))
  })(document.querySelector('.composer textarea'), ${JSON.stringify([...PIXEL])})`
  await stage.page.evaluate(give('paste'))
  await stage.page.evaluate(give('drop'))
  await expect.poll(() => stage.page.locator('.composer-files [data-ready=true]').count(), WAIT).toBe(3)
  await stage.page.getByRole('button', { name: 'Remove: drop.png' }).click()
  await chat.say('say Got them')
  await chat.answered('Got them')
  await chat.rests()
  await stage.page.reload()
  const sent = stage.page.locator('.user-row').last()
  await sent.locator('img').waitFor()
  await expect
    .poll(() => sent.locator('img').evaluate((image): unknown => Reflect.get(image, 'naturalWidth')), WAIT)
    .toBe(1)
  const [notes] = await Promise.all([
    stage.page.waitForEvent('download'),
    sent.locator('.attachments').getByText('notes.txt').click(),
  ])
  expect(await readFile(await notes.path(), 'utf8')).toBe('some notes')
  const image = (await sent.locator('a:has(img)').getAttribute('href')) ?? ''
  const type = `fetch('${image}').then((answer) => answer.headers.get('content-type'))`
  expect(await stage.page.evaluate(type)).toBe('image/png')
})

it('console 13: files that are too large together are refused before they are sent', async () => {
  const files = stage.page.locator('.composer-files')
  const [chooser] = await Promise.all([
    stage.page.waitForEvent('filechooser'),
    stage.page.getByRole('button', { name: 'Add files' }).click(),
  ])
  const large = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(9 * 1024 * 1024, 'x') })
  await chooser.setFiles([large('one.txt'), large('two.txt')])
  await files.getByText('too large: at most 16 MiB in all').waitFor()
  await expect.poll(() => files.locator('[data-ready=true]').allInnerTexts(), WAIT).toEqual(['one.txt'])
  await stage.page.getByRole('button', { name: 'Remove: one.txt' }).click()
  await stage.page.getByRole('button', { name: 'Remove: two.txt' }).click()
})

it('console 5: a call shows what it prints while it runs', async () => {
  await chat.begin(script(call('l1', 'Bash', { command: 'echo begun; sleep 600' }), '---', 'say Over.'))
  await chat.card.getByRole('button', { name: /^Allow/ }).click()
  await chat.call('l1').locator('.call-live').getByText('begun').waitFor()
  await chat.call('l1').getByRole('button', { name: 'Stop this call' }).click()
  await chat.answered('Over.')
  expect(await chat.call('l1').locator('.call-live').count()).toBe(0)
})

it('console 5: a running call shows how long it has been running, and stops alone', async () => {
  await chat.begin(script(call('r1', 'Bash', { command: 'sleep 600' }), '---', 'say Went on.'))
  await chat.card.getByRole('button', { name: /^Allow/ }).click()
  await chat.call('r1').getByRole('timer').waitFor()
  // A page that comes later learns the start from the server. Its clock moves only when the test says so.
  const page = await stage.newPage({ storageState: await stage.context.storageState() })
  await page.clock.install()
  await page.goto(stage.page.url())
  const head = page.locator('[data-call=r1] .call-line')
  const clock = head.getByRole('timer')
  await clock.waitFor()
  const session = path().split('/')[2]
  const { startedAt } = (await page.evaluate(
    `fetch('/api/polylogue/sessions/${session}/calls/r1').then((answer) => answer.json())`,
  )) as { startedAt: number }
  await page.clock.pauseAt(Date.now() + 3_000_000)
  const shown = async (): Promise<number> => {
    const [minutes = 0, seconds = 0] = (await clock.innerText()).split(':').map(Number)
    return minutes * 60 + seconds
  }
  const isRight = async (): Promise<boolean> =>
    (await shown()) === Math.floor((Number(await page.evaluate('Date.now()')) - startedAt) / 1_000)
  const sizes = async () => [(await clock.boundingBox())?.width, (await head.boundingBox())?.height]
  await see(page, 'visible')
  await expect.poll(isRight, WAIT).toBe(true)
  const [before, size] = [await shown(), await sizes()]
  expect(before).toBeGreaterThan(2_900)
  for (let second = 1; second <= 3; second++) {
    await page.clock.runFor(1_000)
    await expect.poll(shown, WAIT).toBe(before + second)
    expect(await sizes()).toEqual(size)
  }
  await see(page, 'hidden')
  for (let second = 1; second <= 5; second++) await page.clock.runFor(1_000)
  expect(await shown()).toBeLessThan(before + 5)
  await see(page, 'visible')
  await expect.poll(shown, WAIT).toBe(before + 8)
  await page.context().close()
  await chat.call('r1').getByRole('button', { name: 'Stop this call: sleep 600' }).click()
  await chat.answered('Went on.')
  expect(await chat.call('r1').locator('.call-clock, .call-stop').count()).toBe(0)
})

it('console 5: a call says how it ended and how it was allowed, in the words of the page', async () => {
  await chat.begin(call('o1', 'Read', { path: 'unknown.txt' }))
  await chat.answered('RESULTS 1')
  await chat.rests()
  expect(await chat.call('o1').locator('.call-state').innerText()).toBe('failed')
  await chat.say(call('o2', 'Bash', { command: 'uname -verdict' }))
  await chat.card.getByRole('button', { name: /^Allow/ }).click()
  await chat.answered('RESULTS 1')
  await chat.rests()
  const verdict = chat.call('o2').locator('.call-verdict')
  for (const [language, words] of [
    ['en', 'Allowed once'],
    ['zh-CN', '已允许一次'],
  ]) {
    await stage.page.evaluate(`localStorage.setItem('polylogue.language', '${language}')`)
    await stage.page.reload()
    await chat.call('o2').locator('.call-head').click()
    await verdict.waitFor()
    expect(await verdict.innerText()).toBe(words)
  }
  await stage.page.evaluate("localStorage.removeItem('polylogue.language')")
  await stage.page.reload()
})

it('console 73: code is highlighted in a worker, and copied unchanged', async () => {
  await chat.begin(script('say ```ts', 'say // why', 'say const one: string = "1"', 'say ```'))
  const code = stage.page.locator('code[data-coloured]')
  await code.waitFor()
  expect(await code.innerText()).toBe('// why\nconst one: string = "1"')
  expect(await code.locator('.code-comment').innerText()).toBe('// why')
  expect(await code.locator('.code-keyword').first().innerText()).toContain('const')
})

it('console 74: Ctrl+K finds commands, screens and sessions by name', async () => {
  await chat.begin('say Palette please')
  await chat.answered('Palette please')
  await chat.rests()
  await stage.page.keyboard.press('ControlOrMeta+k')
  const palette = stage.page.getByRole('dialog', { name: 'Commands and sessions' })
  await palette.getByRole('combobox').fill('inb')
  await stage.page.keyboard.press('Enter')
  await expect.poll(path, WAIT).toBe('/inbox')
  await stage.page.keyboard.press('ControlOrMeta+k')
  await palette.getByRole('combobox').fill('Palette please')
  await palette
    .getByRole('option', { name: /Palette please/ })
    .first()
    .click()
  await chat.answered('Palette please')
  await stage.page.keyboard.press('ControlOrMeta+k')
  await palette.waitFor()
  await stage.page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
})

it('console 15, 17: a slash lists commands, and /compact summarizes, which the chat marks', async () => {
  await chat.begin(`say ${'Long words to leave behind. '.repeat(40)}`)
  await chat.answered('Long words')
  await chat.rests()
  await chat.say(`say ${'More words. '.repeat(40)}`)
  await stage.page.locator('.agent-row').nth(1).waitFor()
  await chat.rests()
  await chat.composer.fill('/')
  const options = stage.page.getByRole('listbox', { name: 'Commands' }).getByRole('option')
  expect(await options.allInnerTexts()).toEqual(
    expect.arrayContaining([expect.stringMatching(/^\/compact/), expect.stringMatching(/^\/plan/)]),
  )
  await chat.composer.pressSequentially('com')
  expect(await options.count()).toBe(1)
  await chat.composer.press('Enter')
  await stage.page.locator('.note').filter({ hasText: 'Earlier messages are summarized' }).waitFor()
  expect(await chat.composer.inputValue()).toBe('')
})

it('console 15: the meter of the context follows the turn', async () => {
  const made = await fetch(`${stage.server().url}/api/polylogue/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.server().localKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'small' }),
  })
  const { sessionId } = (await made.json()) as { sessionId: string }
  await stage.page.goto(`${stage.server().url}/s/${sessionId}`)
  const meter = stage.page.locator('.chat-header meter')
  const used = async (): Promise<number> => Number(await meter.getAttribute('value'))
  await chat.say('say A few words')
  await chat.answered('A few words')
  await meter.waitFor()
  const before = await used()
  expect(before).toBeGreaterThan(0)
  await chat.say(`say ${'Many more words. '.repeat(100)}`)
  await expect.poll(used, WAIT).toBeGreaterThan(before)
})

it('console 15: the plan follows the turn beside the chat', async () => {
  const todo = (status: string) => ({
    todos: [
      { content: 'Read it', status: 'completed' },
      { content: 'Fix it', status },
    ],
  })
  await chat.begin(
    script(
      call('p1', 'TodoWrite', todo('in_progress')),
      '---',
      'sleep 1500',
      call('p2', 'TodoWrite', todo('completed')),
      '---',
      'say Planned.',
    ),
  )
  const plan = stage.page.locator('.panel').getByRole('region', { name: 'Plan' })
  await plan.getByText('1/2').waitFor()
  await plan.getByText('2/2').waitFor()
  await chat.answered('Planned.')
  await chat.rests()
  await stage.page.getByRole('button', { name: 'Close' }).click()
  await plan.waitFor({ state: 'detached' })
})

it('console 50: over a narrow chat of the past the panel is opened by hand, and Esc closes it first', async () => {
  await stage.page.setViewportSize({ width: 800, height: 700 })
  await stage.page.goto(`${stage.server().url}${path()}?at=14`)
  const plan = stage.page.locator('.panel').getByRole('region', { name: 'Plan' })
  const toggle = stage.page.locator('.past').getByRole('button', { name: 'Plan and sub-agents' })
  await toggle.waitFor()
  expect(await plan.count()).toBe(0)
  await toggle.click()
  await plan.waitFor()
  await stage.page.keyboard.press('Escape')
  await plan.waitFor({ state: 'detached' })
  expect(new URL(stage.page.url()).search).toBe('?at=14')
  await stage.page.keyboard.press('Escape')
  await expect.poll(() => new URL(stage.page.url()).search, WAIT).toBe('')
  await stage.page.setViewportSize({ width: 1440, height: 900 })
})

it('console 37: sub-agents nest three deep with state, calls and cost; one is stopped and its siblings continue', async () => {
  const agent = (id: string, description: string, prompt: string) => call(id, 'Agent', { description, prompt })
  const deepest = script('say Deep down', 'sleep 600000')
  const middle = script(agent('a3', 'third level', deepest), '---', 'say Middle done.')
  const first = script(agent('a2', 'second level', middle), '---', 'say First done.')
  // It waits for an answer, which it gets after the other was stopped.
  const sibling = script(call('b2', 'Bash', { command: 'uname -sibling' }), '---', 'say Sibling done.')
  await chat.begin(script(agent('a1', 'first level', first), agent('b1', 'a sibling', sibling), '---', 'say All done.'))
  const node = (id: string) => stage.page.locator(`.agent-line[data-agent=${id}]`)
  await stage.page.locator('.agent-tree .agent-tree .agent-tree').waitFor()
  expect(await node('a3').innerText()).toMatch(/third level\s+running\s+0 calls/)
  await node('a1').getByRole('button', { name: 'Stop' }).click()
  await expect.poll(() => node('a1').getAttribute('data-status'), WAIT).toBe('cancelled')
  // What ran below it has stopped too.
  await expect.poll(() => node('a3').getAttribute('data-status'), WAIT).toBe('cancelled')
  expect(await node('b1').getAttribute('data-status')).not.toBe('cancelled')
  await chat.card.getByRole('button', { name: /^Allow/ }).click()
  await chat.answered('All done.')
  expect(await node('b1').getAttribute('data-status')).toBe('done')
  await expect.poll(() => node('b1').innerText(), WAIT).toMatch(/done\s+1 call\s+[\d.]+ s\s+\?/)
})

it('console 76: the model of an open session and its thinking are changed, and every door shows the choice', async () => {
  await chat.begin('say Which model')
  await chat.answered('Which model')
  await chat.rests()
  const id = path().split('/')[2]
  const other = await stage.context.newPage()
  await other.goto(stage.page.url())
  await other.getByRole('button', { name: /^Model: / }).waitFor()
  expect(await other.getByRole('button', { name: 'Thinking level' }).count()).toBe(0)
  const pick = async (button: RegExp, choice: string): Promise<void> => {
    await stage.page.getByRole('button', { name: button }).click()
    await stage.page.getByRole('menuitem', { name: choice, exact: true }).click()
  }
  await pick(/^Model: /, 'Claude Opus 4.5')
  await pick(/^Thinking level: Default thinking/, 'high')
  await other.getByRole('button', { name: 'Model: Claude Opus 4.5' }).waitFor()
  await other.getByRole('button', { name: 'Thinking level: high' }).waitFor()
  const headers = { authorization: `Bearer ${stage.server().localKey}`, 'content-type': 'application/json' }
  const session = `${stage.server().url}/api/polylogue/sessions/${id}`
  const answer = (await (await fetch(`${session}?messages=0`, { headers })).json()) as { session: unknown }
  expect(answer.session).toMatchObject({ model: 'anthropic/claude-opus-4-5-20251101', thinking: 'high' })
  await fetch(session, { method: 'PATCH', headers, body: JSON.stringify({ thinking: 'low' }) })
  await stage.page.getByRole('button', { name: 'Thinking level: low' }).waitFor()
  await other.close()
})

it('console 77: a call shows its input as people read it, and steps stand close to each other', async () => {
  const edits = [
    { oldText: 'one', newText: 'zero\none' },
    { oldText: 'three', newText: '3' },
  ]
  await chat.begin(
    script(
      call('w1', 'Write', { path: 'count.txt', content: 'one\ntwo\nthree\n' }),
      '---',
      call('r1', 'Read', { path: 'count.txt', offset: 2, limit: 2 }),
      call('e1', 'echo', { msg: 'hello', times: 3, options: { loud: true } }),
      '---',
      'say Now the edit.',
      call('d1', 'Edit', { path: 'count.txt', edits }),
      '---',
      'say Edited.',
    ),
  )
  await chat.answered('Edited.')
  await chat.rests()
  const fields = async (id: string): Promise<readonly string[]> => {
    await chat.call(id).locator('.call-head').click()
    await chat.call(id).locator('.call-fields').waitFor()
    return chat.call(id).locator('.call-fields > div').allInnerTexts()
  }
  expect(await fields('r1')).toEqual(['path\ncount.txt', 'Lines\n2–3'])
  expect(await fields('e1')).toEqual(['msg\nhello', 'times\n3', 'options\n{\n  "loud": true\n}'])
  await chat.call('d1').locator('.call-head').click()
  const numbers = chat.call('d1').locator('.diff tr.added .diff-number')
  await expect.poll(() => numbers.allInnerTexts(), WAIT).toEqual(['', '1', '', '4'])
  for (const id of ['r1', 'e1', 'd1']) await chat.call(id).locator('.call-head').click()
  const gap = await stage.page.evaluate(`(() => {
    const rows = [...document.querySelectorAll('.agent-row .row-body')]
    const edges = rows.map((row) => [row.firstElementChild, row.querySelector(':scope > :last-child')].map((one) => one.getBoundingClientRect()))
    return Math.max(...edges.slice(1).map(([first], index) => first.top - edges[index][1].bottom))
  })()`)
  expect(Number(gap)).toBeLessThanOrEqual(16)
})

it('acp finding 3: a new session begins with a chosen model and one of its thinking levels', async () => {
  const { page } = stage
  const pick = async (button: string, choice: string): Promise<void> => {
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('menuitem', { name: choice, exact: true }).click()
  }
  await page.locator('.rail a[href="/"]').nth(1).click()
  await page.getByRole('button', { name: 'Default model' }).waitFor()
  expect(await page.getByRole('button', { name: 'Thinking level' }).count()).toBe(0)
  await pick('Default model', 'Claude Opus 4.5')
  await pick('Thinking level: Default thinking', 'high')
  await page.getByRole('button', { name: 'Thinking level: high' }).waitFor()
  // The session is made, but its turn does not begin: it would ask the provider.
  const made = Promise.withResolvers<unknown>()
  await page.route('**/api/sessions', async (route) => {
    made.resolve(await (await route.fetch()).json())
    await route.fulfill({ json: {} })
  })
  await chat.say('Think hard')
  const { session_id: id } = (await made.promise) as { session_id: string }
  await page.getByRole('alert').waitFor()
  await page.unroute('**/api/sessions')
  const headers = { authorization: `Bearer ${stage.server().localKey}` }
  const answer = await fetch(`${stage.server().url}/api/sessions/${id}`, { headers })
  expect(await answer.json()).toMatchObject({ model: 'anthropic/claude-opus-4-5-20251101', thinking: 'high' })
})

it('console 71: no page broke a rule of its own', () => {
  expect(withoutLosses(stage.complaints)).toEqual([])
})

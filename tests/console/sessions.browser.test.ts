import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { createUserKey } from '../support/owner-socket.ts'
import { type Chat, chatOn } from './chat.ts'
import { type Stage, openStage, withoutLosses } from './stage.ts'

let stage: Stage
let chat: Chat

beforeAll(async () => {
  stage = await openStage()
  chat = chatOn(stage.page)
})
afterAll(() => stage.close())

const WAIT = { timeout: 15_000 }
const rail = (page = stage.page) => page.locator('.session-row')

it('console 38: words that were said are found, in Chinese too, and the hit opens its session', async () => {
  await chat.begin('say The heliotrope is in the cellar')
  await chat.answered('heliotrope')
  await chat.rests()
  await chat.begin('say 部署失败了，因为磁盘已满')
  await chat.answered('磁盘')
  await chat.rests()
  for (const [query, said] of [
    ['heliotrope cellar', 'The heliotrope is in the cellar'],
    ['磁盘已满', '部署失败了，因为磁盘已满'],
  ] as const) {
    await stage.page.keyboard.press('Escape')
    await stage.page.locator('.rail a[href="/sessions"]').click()
    await stage.page.getByRole('searchbox').fill(query)
    const rows = stage.page.locator('.found-row').filter({ has: stage.page.locator('mark') })
    await expect.poll(() => rows.count(), WAIT).toBe(1)
    expect(await rows.locator('.found-place').innerText()).toContain(said)
    expect(await rows.locator('mark').innerText()).toBe(query.split(' ')[0])
    await rows.click()
    await chat.answered(said)
  }
})

/** A session whose history was given, as clients of AAP give it. */
async function seed(count: number): Promise<string> {
  const messages = Array.from({ length: count }, (_, index) => [
    { role: 'user', content: `Question ${index}` },
    { role: 'assistant', content: `Answer ${index} with a **word**${index === 37 ? ' and a zeppelin' : ''}` },
  ]).flat()
  const answer = await fetch(`${stage.server().url}/aap/v3/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.server().localKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent: { name: 'scripted' }, messages }),
  })
  const { sessionId } = (await answer.json()) as { sessionId: string }
  return sessionId
}

const topOf = (text: string) =>
  stage.page
    .locator('.said')
    .filter({ hasText: text })
    .evaluate((row) => row.getBoundingClientRect().top)

it('console 23: the address of a turn opens there, and nothing shifts afterwards', async () => {
  const id = await seed(200)
  const answer = await fetch(`${stage.server().url}/api/sessions/${id}/messages`, {
    headers: { authorization: `Bearer ${stage.server().localKey}` },
  })
  const turns = (await answer.json()) as { turn_id: string }[]
  await stage.page.goto(`${stage.server().url}/s/${id}#${turns[2 * 37]?.turn_id}`)
  const target = stage.page.locator('[data-target]')
  await target.waitFor()
  expect(await target.innerText()).toContain('Question 37')
  await expect.poll(() => topOf('Question 37')).toBeGreaterThan(40)
  const top = await topOf('Question 37')
  expect(top).toBeLessThan(200)
  await stage.page.locator('.agent-row .markdown:not(.plain)').first().waitFor()
  await stage.page.evaluate('document.fonts.ready.then(() => new Promise((done) => requestIdleCallback(() => done())))')
  expect(Math.abs((await topOf('Question 37')) - top)).toBeLessThanOrEqual(2)
})

it('console 39: a search result opens at its message', async () => {
  await chat.begin('say The quagga is extinct')
  await chat.answered('quagga')
  await chat.rests()
  for (const word of ['Second', 'Third']) {
    await chat.say(`say ${Array.from({ length: 60 }, (_, line) => `${word} line ${line}  `).join('\nsay ')}`)
    await chat.answered(`${word} line 59`)
    await chat.rests()
  }
  await stage.page.goto(`${stage.server().url}/sessions?q=quagga%20extinct`)
  await stage.page
    .locator('.found-row')
    .filter({ has: stage.page.locator('mark') })
    .click()
  const target = stage.page.locator('[data-target]')
  await target.waitFor()
  expect(await target.innerText()).toContain('quagga is extinct')
  expect(await target.evaluate((row) => row.getBoundingClientRect().top)).toBeLessThan(300)
})

it('console 41: rows name the door that their session came through', async () => {
  const id = await seed(1)
  const row = stage.page.locator(`.session-row[href="/s/${id}"]`)
  await row.getByRole('img', { name: 'AAP v3' }).waitFor()
  await stage.page.goto(`${stage.server().url}/sessions?door=aap%2Fv3`)
  const found = stage.page.locator('.found-row')
  await found.first().waitFor()
  const doors = await found.locator('.tag').allInnerTexts()
  expect(new Set(doors)).toEqual(new Set(['AAP v3']))
})

it('console 41: rows of sessions that nobody watches change their state as it changes', async () => {
  const { page } = stage
  const headers = { authorization: `Bearer ${stage.server().localKey}`, 'content-type': 'application/json' }
  const post = async (path: string, body: object): Promise<unknown> => {
    const answer = await fetch(`${stage.server().url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await answer.text()
    return text.startsWith('{') ? JSON.parse(text) : text
  }
  const { sessionId: id } = (await post('/api/polylogue/sessions', { agent: 'scripted' })) as { sessionId: string }
  const say = (content: string) =>
    post(`/aap/v3/sessions/${id}/turns`, { stream: 'delta', messages: [{ role: 'user', content }] })
  await page.goto(`${stage.server().url}/sessions`)
  const states = [page.locator(`.session-row[href="/s/${id}"]`), page.locator(`.found-row[href="/s/${id}"]`)]
  const show = async (state: string): Promise<void> => {
    for (const row of states) await row.getByRole('img', { name: state }).waitFor()
  }
  await show('idle')
  await say(call('s1', 'Bash', { command: 'uname -watched' }))
  await show('waits for you')
  await say('fail')
  await show('failed')
  const running = say('say Begun\nsleep 60000')
  await show('running')
  await page.goto(`${stage.server().url}/s/${id}`)
  await page.locator('.composer-stop').click()
  await running
  await page.goto(`${stage.server().url}/sessions`)
  await show('stopped')
})

it('console 40: a session is renamed, pinned and deleted, which another tab shows', async () => {
  const other = await stage.context.newPage()
  await other.goto(stage.server().url ?? '')
  await chat.begin('say To be renamed')
  await chat.answered('To be renamed')
  await chat.rests()
  const menu = async (name: string): Promise<void> => {
    await stage.page.getByRole('button', { name: 'More' }).click()
    await stage.page.getByRole('menuitem', { name, exact: true }).click()
  }
  await menu('Rename')
  await stage.page.getByLabel('Title').fill('A better name')
  await stage.page.getByRole('button', { name: 'Save' }).click()
  await rail(other).filter({ hasText: 'A better name' }).waitFor()
  await menu('Pin')
  await other.locator('section[aria-label="Pinned"]').filter({ hasText: 'A better name' }).waitFor()
  await menu('Delete')
  await stage.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await rail(other).filter({ hasText: 'A better name' }).waitFor({ state: 'detached' })
  await other.close()
})

it('console 42: a guest reads a shared session live and can change nothing', async () => {
  await chat.begin('say For everybody to read')
  await chat.answered('For everybody')
  await chat.rests()
  await stage.page.getByRole('button', { name: 'More' }).click()
  await stage.page.getByRole('menuitem', { name: 'Share with all users' }).click()
  const context = await stage.newContext()
  const page = await context.newPage()
  await page.goto(stage.server().url ?? '')
  await page.getByLabel('Or sign in with an API key').fill(await createUserKey(stage.dataDir, 'gina'))
  await page.getByRole('button', { name: 'Sign in' }).click()
  const guest = chatOn(page)
  await guest.composer.waitFor()
  await page.goto(stage.page.url())
  await guest.answered('For everybody')
  await page.getByText('Shared by local').waitFor()
  expect(await page.locator('.user-row .speaker').allInnerTexts()).toEqual(['local'])
  await chat.say('say Said while she looks')
  await guest.answered('Said while she looks')
  await chat.say(script(call('g1', 'Bash', { command: 'sleep 600' }), '---', 'say Stopped.'))
  await chat.card.getByRole('button', { name: /^Allow/ }).click()
  await guest.call('g1').getByRole('timer').waitFor()
  const offered =
    '.composer, .ask, .call-stop, [aria-label="Edit the message"], [aria-label="Answer again"], .chat-header a'
  expect(await page.locator(offered).count()).toBe(0)
  await chat.call('g1').getByRole('button', { name: 'Stop this call' }).click()
  await guest.answered('Stopped.')
  await page.goto(`${stage.page.url()}?at=5`)
  await page.locator('.past .user-row').first().waitFor()
  expect(await page.locator(offered).count()).toBe(0)
  // The log is the owner's.
  await page.goto(`${stage.page.url()}/doors`)
  await page.getByText('Shared by local').waitFor()
  expect(page.url()).toBe(stage.page.url())
  expect(await page.getByRole('alert').count()).toBe(0)
  for (const rest of ['', '/doors', '?at=3']) {
    await page.goto(`${stage.server().url}/s/no-such-session${rest}`)
    await page.getByRole('heading', { name: 'There is no such session' }).waitFor()
  }
  await context.close()
})

it("console 31: a sub-agent's approval shows in its session and in the inbox", async () => {
  const inner = script(call('s1', 'Bash', { command: 'uname -sub' }), '---', 'say Sub-agent done.')
  await chat.begin(script(call('a1', 'Agent', { description: 'look around', prompt: inner }), '---', 'say All done.'))
  await chat.card.waitFor()
  expect(await chat.card.innerText()).toContain('look around')
  expect(await stage.page.title()).toMatch(/^\(1\) call a1 Agent .* · Polylogue$/)
  await stage.page.locator('.rail a[href="/inbox"]').click()
  const item = stage.page.locator('.inbox-item')
  await item.filter({ hasText: 'Bash' }).waitFor()
  await item.click()
  await chat.card.getByRole('button', { name: /^Allow/ }).click()
  await chat.answered('All done.')
  await chat.call('a1').locator('.call-head').first().click()
  await chat.call('a1').locator('.sub-agent').getByText('Sub-agent done.').waitFor()
})

it('settings change the theme and the density at once, and stay', async () => {
  await stage.page.locator('.rail a[href="/settings"]').click()
  await stage.page.getByLabel('Theme').selectOption('dark')
  await stage.page.getByLabel('Density').selectOption('compact')
  await stage.page.reload()
  const { theme, density } = (await stage.page.evaluate('({...document.documentElement.dataset})')) as {
    theme: string
    density: string
  }
  expect([theme, density]).toEqual(['dark', 'compact'])
  expect(await stage.page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(21, 20, 18)')
})

it('a long list of sessions scrolls by itself: the page has no more than its window', async () => {
  for (let count = 0; count < 30; count++) await seed(0)
  await stage.page.goto(stage.server().url ?? '')
  await expect.poll(() => rail().count(), WAIT).toBeGreaterThan(25)
  const over = await stage.page.evaluate('document.documentElement.scrollHeight - innerHeight')
  expect(over).toBeLessThanOrEqual(0)
  const settings = await stage.page.locator('.rail').getByRole('link', { name: 'Settings' }).boundingBox()
  expect((settings?.y ?? 1_000) + (settings?.height ?? 0)).toBeLessThanOrEqual(800)
  expect(await stage.page.locator('.rail-sessions').evaluate((list) => list.scrollHeight > list.clientHeight)).toBe(
    true,
  )
})

it('console 31, 41: what waits is in the inbox however old it is, and an old session that begins again is listed', async () => {
  const turn = async (id: string, content: string): Promise<void> => {
    const answer = await fetch(`${stage.server().url}/aap/v3/sessions/${id}/turns`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.server().localKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ stream: 'none', messages: [{ role: 'user', content }] }),
    })
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
  }
  const made = await fetch(`${stage.server().url}/api/polylogue/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.server().localKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'scripted', preset: 'workspace-write' }),
  })
  const { sessionId: waiting } = (await made.json()) as { sessionId: string }
  const quiet = await seed(1)
  await turn(waiting, call('old', 'Bash', { command: 'uname -old' }))
  for (let from = 0; from < 110; from += 10) await Promise.all(Array.from({ length: 10 }, () => seed(0)))
  await stage.page.goto(`${stage.server().url}/inbox`)
  await stage.page.locator(`.inbox-item[href="/s/${waiting}"]`).locator('code').getByText('uname -old').waitFor()
  expect(await stage.page.locator(`.session-row[href="/s/${quiet}"]`).count()).toBe(0)
  await turn(quiet, 'say Here again')
  await stage.page.locator(`.session-row[href="/s/${quiet}"]`).waitFor()
  expect(await rail().first().getAttribute('href')).toBe(`/s/${quiet}`)
  await stage.page.locator(`.inbox-item[href="/s/${waiting}"]`).click()
  await chat.card.getByRole('button', { name: 'Deny' }).first().click()
  await chat.card.waitFor({ state: 'detached' })
})

it('console 71: no page broke a rule of its own', () => {
  expect(withoutLosses(stage.complaints)).toEqual([])
})

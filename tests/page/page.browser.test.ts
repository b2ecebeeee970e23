import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Stage, openStage } from './browser.ts'
import { readBadgeContrasts } from './contrast.ts'

const runProgram = promisify(execFile)

let stage: Stage
/** Signed in; the link works once, so the tests share the browser that used it. */
let page: Page
let complaints: readonly string[]

beforeAll(async () => {
  stage = await openStage()
  const opened = await stage.newPage()
  page = opened.page
  complaints = opened.complaints
  await page.goto(stage.server().signInUrl ?? '')
  await page.locator('#app').waitFor()
})
afterAll(() => stage.close())

const transcript = () => page.locator('#transcript > li')
const lastText = () => page.locator('#transcript > .text').last()
const texts = async () => (await page.locator('#transcript > .text').allInnerTexts()).map((text) => text.trimEnd())
const answered = (text: string) => page.locator('#transcript > .text').filter({ hasText: text }).last().waitFor()
const isIdle = () => page.locator('#send').waitFor()

async function beginSession(agent = 'scripted'): Promise<void> {
  await page.locator('#new-session').click()
  await page.locator('#welcome').waitFor()
  await page.locator('#agent').selectOption(agent)
}

/** As a client of AAP does it: the tools are listed, and none of them is trusted. */
async function beginListedSession(): Promise<void> {
  await beginSession()
  if (!(await page.locator('#pick-tools').isVisible())) await page.locator('#tools-box summary').click()
  await page.locator('#pick-tools').check()
}

async function say(text: string): Promise<void> {
  await page.locator('#prompt').fill(text)
  await page.locator('#prompt').press('Enter')
}

describe('a browser that is not signed in', () => {
  it('learns how to get a link', async () => {
    const { page: stranger } = await stage.newPage()
    await stranger.goto(stage.server().url ?? '')
    await stranger.locator('#signed-out').waitFor()
    expect(await stranger.locator('#signed-out').innerText()).toContain('npm start')
    expect(await stranger.locator('#status').innerText()).toBe('ready')
    expect(await stranger.locator('#app').isVisible()).toBe(false)
  })

  it.each(['', '#code=wrong'])('is told what is wrong with the link /signin%s', async (fragment) => {
    const { page: stranger } = await stage.newPage()
    await stranger.goto(`${stage.server().url}/signin${fragment}`)
    await stranger.locator('#how').waitFor()
    expect(await stranger.locator('#message').innerText()).not.toBe('Signing in…')
    expect(await stranger.locator('#how').innerText()).toContain('npm start')
    expect(stranger.url()).not.toContain('code')
  })

  it('cannot use a link that was used before', async () => {
    const { page: second } = await stage.newPage()
    await second.goto(stage.server().signInUrl ?? '')
    await second.locator('#how').waitFor()
    await second.goto(stage.server().url ?? '')
    await second.locator('#signed-out').waitFor()
  })
})

describe('the chat', () => {
  it('talks to the default agent', async () => {
    await beginSession('assistant')
    await page.getByRole('button', { name: 'Hello! What can you do?' }).click()
    await answered('all of them offline')
    await isIdle()
    expect(await page.locator('#sessions [aria-current]').innerText()).toContain('Hello! What can you do?')
  })

  it('offers what the demo understands for agents of the demo only', async () => {
    await beginSession('assistant')
    expect(await page.locator('#starters').isVisible()).toBe(true)
    await page.locator('#agent').selectOption('scripted')
    expect(await page.locator('#starters').isVisible()).toBe(false)
  })

  it('shows thinking and text while they come', async () => {
    await beginSession()
    await say('think Let me see\nsay One two\nsleep 600000')
    await answered('One two')
    expect(await page.locator('#transcript .thinking').innerText()).toContain('Let me see')
    expect(await page.locator('#stop').isVisible()).toBe(true)
    await page.locator('#stop').click()
    await page.getByText('Stopped.').waitFor()
    await isIdle()
    expect(await lastText().innerText()).toBe('One two')
  })

  it('asks before an untrusted tool runs, sends all answers together, and shows the results', async () => {
    await beginListedSession()
    await say('call a1 echo {"msg":"first"}\ncall a2 echo {"msg":"second"}')
    const first = page.locator('[data-call=a1]')
    const second = page.locator('[data-call=a2]')
    await first.getByRole('button', { name: 'Allow' }).click()
    expect(await first.locator('.badge').innerText()).toBe('allowed')
    await second.getByRole('button', { name: 'Deny' }).click()
    await answered('RESULTS 2:')
    expect(await first.locator('.result').innerText()).toBe('first')
    expect(await second.locator('.result').innerText()).toBe('Tool call denied')
  })

  it('moves the focus to the next call that asks, on no button of it, and then to the message', async () => {
    await beginListedSession()
    await say('call f1 echo {"msg":"first"}\ncall f2 echo {"msg":"second"}')
    await page.locator('[data-call=f1]').getByRole('button', { name: 'Allow' }).press('Enter')
    await page.locator('[data-call=f2] > details > summary:focus').waitFor()
    await page.locator('[data-call=f2]').getByRole('button', { name: 'Deny' }).press('Enter')
    await page.locator('#prompt:focus').waitFor()
    await answered('RESULTS 2:')
  })

  it.each(['light', 'dark'] as const)('has badges that can be read, in %s (WCAG AA: 4.5 to 1)', async (colorScheme) => {
    await page.emulateMedia({ colorScheme })
    const contrasts = await readBadgeContrasts(page)
    await page.emulateMedia({ colorScheme: null })
    expect(contrasts).toHaveLength(6)
    expect(contrasts.filter(([, ratio]) => ratio < 4.5)).toEqual([])
  })

  it('runs a trusted tool without asking, and offers no tool that is not enabled', async () => {
    await beginListedSession()
    await page.locator('[data-tool=echo]').getByLabel('trusted').check()
    await page.locator('[data-tool=slow]').getByLabel('enabled').uncheck()
    await say('call b1 echo {"msg":"by itself"}')
    await answered('RESULTS 1: by itself')
    await isIdle()
    await say('show tools')
    await answered('"boom"')
    expect(await lastText().innerText()).not.toContain('"slow"')

    await page.locator('[data-tool=echo]').getByLabel('trusted').uncheck()
    await say('call b2 echo {"msg":"not any more"}')
    await page.locator('[data-call=b2]').getByRole('button', { name: 'Deny' }).click()
    await answered('RESULTS 1: Tool call denied')
  })

  it('goes on after a reload in the middle of an answer, and shows every word once', async () => {
    await beginSession()
    await say('think Slowly\nsay One two\nsleep 5000\nsay three four')
    await answered('One two')
    await page.reload()
    await answered('One two')
    expect(await page.locator('#stop').isVisible()).toBe(true)
    await answered('three four')
    await isIdle()
    const shown = await transcript().allInnerTexts()
    await page.reload()
    await answered('three four')
    expect(await transcript().allInnerTexts()).toEqual(shown)
    expect(shown.slice(1)).toEqual([expect.stringContaining('Slowly'), 'One two\nthree four'])
  })

  it('still offers a waiting call after a reload', async () => {
    await beginListedSession()
    await say('call d1 echo {"msg":"patient"}')
    await page.locator('[data-call=d1] .answers').waitFor()
    await page.reload()
    await page.locator('[data-call=d1]').getByRole('button', { name: 'Allow' }).click()
    await answered('RESULTS 1: patient')
  })

  it('goes on when the server is started again in the middle of an answer', async () => {
    await beginSession()
    await say('say Before\nsleep 3000\nsay after')
    await answered('Before')
    await stage.restart()
    await answered('after')
    await isIdle()
    expect(await page.locator('#status').getAttribute('data-state')).toBe('ready')
    expect(await texts()).toEqual(['Before', 'Before\nafter'])
    await page.reload()
    await answered('after')
    expect(await texts()).toEqual(['Before', 'Before\nafter'])
  })

  it('shows markup as text', async () => {
    await beginListedSession()
    const evil = '<img src=x onerror="document.title=1"><b>bold</b>'
    await say(`say ${evil}\ncall e1 echo {"msg":"<i>\u202e</i>"}`)
    await page.locator('[data-call=e1] .answers').waitFor()
    expect(await lastText().innerText()).toBe(evil)
    expect(await page.locator('#transcript img, #transcript b, #transcript i').count()).toBe(0)
    expect(await page.locator('[data-call=e1] .input').innerText()).toContain('<i>\\u202e</i>')
    expect(await page.title()).toBe('Polylogue')
  })

  it('says what the server refuses', async () => {
    await page.goto(`${stage.server().url}/#session=0198c0de-7a11-7000-8000-000000000000`)
    await page.reload()
    await page.locator('#problem').waitFor()
    expect(await page.locator('#problem').innerText()).toMatch(/session/i)
  })

  it('opens an earlier session from the list', async () => {
    await page.locator('#sessions').getByText('Hello! What can you do?').click()
    await answered('all of them offline')
    expect(await page.locator('#agent').inputValue()).toBe('assistant')
  })

  it('shows an agent that does not stream', async () => {
    await beginSession('scripted-min')
    await say('say All at once')
    await answered('All at once')
    await isIdle()
  })
})

describe('the page', () => {
  it('has lines to paste that a shell can run', async () => {
    await page.locator('#connect-open').click()
    const lines = await page.locator('#lines pre').allInnerTexts()
    await page.locator('#connect').getByRole('button', { name: 'Close' }).click()
    const script = lines.join('\n').replace('the-key-that-the-server-printed', stage.server().localKey ?? '')
    const { stdout } = await runProgram('sh', ['-euc', script])
    expect(stdout).toContain('"stopReason":"end_turn"')
  })

  it('fits on a phone', async () => {
    await page.setViewportSize({ width: 360, height: 700 })
    await beginSessionOnPhone()
    await say(`say ${'long'.repeat(100)}\ncall f1 echo {"msg":"${'wide'.repeat(100)}"}`)
    await page.locator('[data-call=f1] .answers').waitFor()
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(overflow).toBeLessThanOrEqual(0)
  })

  it('signs the browser out', async () => {
    await page.setViewportSize({ width: 1000, height: 700 })
    await page.locator('#sign-out').click()
    await page.locator('#signed-out').waitFor()
    const answer = await page.request.get(`${stage.server().url}/api/polylogue/status`)
    expect(answer.status()).toBe(401)
  })

  it('has broken none of its own rules', () => {
    const foreseen =
      /status of (401|404|503)|ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|CONNECTION_RESET)/
    expect(complaints.filter((complaint) => !foreseen.test(complaint))).toEqual([])
  })
})

async function beginSessionOnPhone(): Promise<void> {
  await page.locator('#menu').click()
  await beginListedSession()
}

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { type Chat, chatOn } from './chat.ts'
import { type Stage, openStage, withoutLosses } from './stage.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const FOUND = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`

let stage: Stage
let chat: Chat
let session: string

beforeAll(async () => {
  stage = await openStage()
  chat = chatOn(stage.page)
  await chat.begin(
    script(
      'think Let me see',
      'say A **word** and `code`',
      call('w1', 'Write', { path: 'a.txt', content: 'a' }),
      '---',
      'say Ok',
    ),
  )
  await chat.answered('Ok')
  await chat.rests()
  await chat.say(call('b1', 'Bash', { command: 'uname -axe' }))
  await chat.card.waitFor()
  session = new URL(stage.page.url()).pathname
})
afterAll(() => stage.close())

const SCREENS = [
  '/',
  'session',
  'doors',
  '/inbox',
  '/sessions',
  '/connect',
  '/settings',
  '/usage',
  '/schedules',
  '/manage/agents',
  '/manage/keys',
  '/manage/rules',
  '/manage/memories',
  '/manage/mcp',
  '/manage/budgets',
  '/manage/models',
  'past',
  '/nothing',
]
const addressOf = (screen: string): string => {
  const paths: Readonly<Record<string, string>> = { session, doors: `${session}/doors`, past: `${session}?at=9` }
  return `${stage.server().url}${paths[screen] ?? screen}`
}

/** What a screen shows last, besides its title. */
const CONTENT: Readonly<Record<string, string>> = {
  session: '.agent-row',
  doors: '.doors-row[data-seq]',
  past: '.past .agent-row',
  '/': '.composer .pick',
  '/inbox': '.inbox-item, .empty',
  '/sessions': '.found-row',
  '/connect': '.connect-block',
  '/usage': '.usage-table tbody tr',
  '/schedules': '.page .button',
  '/manage/agents': '.agents-table tbody tr',
  '/manage/keys': '.manage-table tbody tr',
  '/manage/budgets': '.manage-note',
}

async function openScreen(screen: string): Promise<void> {
  await stage.page.goto(addressOf(screen))
  await untilShown(screen)
}

async function untilShown(screen: string): Promise<void> {
  await stage.page.locator('main').waitFor()
  const content = CONTENT[screen]
  if (content !== undefined) await stage.page.locator(content).first().waitFor()
}

/** Goes there as a click does, by way of a screen that has nothing in it. The scripts of the page are not read again. */
async function walkTo(screen: string): Promise<void> {
  const push = (address: string) => stage.page.evaluate(`history.pushState(null, '', '${address}')`)
  const nothing = stage.page.locator('main .page-next')
  await push('/nothing')
  await nothing.waitFor()
  if (screen === '/nothing') return
  await push(addressOf(screen))
  await nothing.waitFor({ state: 'detached' })
  await untilShown(screen)
}

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it.each(SCREENS)('console 63: axe finds nothing serious on %s', async (screen) => {
    await stage.page.emulateMedia({ colorScheme })
    await walkTo(screen)
    if (screen === 'session') await chat.card.waitFor()
    if ((await stage.page.evaluate('typeof axe')) === 'undefined') await stage.page.evaluate(AXE)
    expect(await stage.page.evaluate(FOUND)).toEqual([])
  })

  it('console 63: axe finds nothing serious in what opens over a screen, and where nobody is signed in', async () => {
    const { page } = stage
    const look = async (): Promise<unknown> => page.evaluate(FOUND)
    await page.emulateMedia({ colorScheme })
    await openScreen('session')
    await page.evaluate(AXE)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
    expect(await look()).toEqual([])
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByLabel('Title').waitFor()
    expect(await look()).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('option').first().waitFor()
    expect(await look()).toEqual([])
    await page.keyboard.press('Escape')
    await page.goto(`${stage.server().url}/schedules`)
    await page.getByRole('button', { name: 'New task' }).click()
    await page.getByLabel('When (cron)').waitFor()
    await page.evaluate(AXE)
    expect(await look()).toEqual([])
    const stranger = await stage.newPage({ colorScheme })
    await stranger.goto(stage.server().url ?? '')
    await stranger.getByRole('heading').waitFor()
    await stranger.evaluate(AXE)
    expect(await stranger.evaluate(FOUND)).toEqual([])
    await stranger.context().close()
  })
})

/** The parts of a page that are wider than their room. Tables, code and tabs scroll in a room of their own. */
const TOO_WIDE = `[...document.querySelectorAll('main, main :has(h1), .page, .transcript, .dock')]
  .filter((part) => part.scrollWidth > part.clientWidth + 1)
  .map((part) => part.className)`

it.each(SCREENS)('console 65: %s fits a width of 320 pixels', async (screen) => {
  await stage.page.setViewportSize({ width: 320, height: 640 })
  await openScreen(screen)
  expect(await stage.page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  expect(await stage.page.evaluate(TOO_WIDE)).toEqual([])
  await stage.page.setViewportSize({ width: 1280, height: 800 })
})

it('console 65: at 400 % of a window of 1280 by 1024 the chat keeps a third of it, and an approval its buttons', async () => {
  const { page } = stage
  await page.setViewportSize({ width: 320, height: 256 })
  await openScreen('session')
  await chat.card.waitFor()
  for (const name of [/^Deny/, /^Allow/]) {
    const box = await chat.card.getByRole('button', { name }).first().boundingBox()
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(256)
  }
  await openScreen('/')
  await chat.composer.waitFor()
  await page.evaluate(`fetch('/api/polylogue/sessions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'scripted' }),
  }).then((answer) => answer.json()).then(({ sessionId }) => history.pushState(null, '', '/s/' + sessionId))`)
  await page.locator('.chat[data-phase=ready]').waitFor()
  expect((await page.locator('.transcript').boundingBox())?.height ?? 0).toBeGreaterThan(85)
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  await page.setViewportSize({ width: 1280, height: 800 })
})

/** Elements that would move, fade or blink. */
const MOVING = `[...document.querySelectorAll('*')].filter((element) => {
  const { transitionDuration, animationName, animationDuration } = getComputedStyle(element)
  return /[1-9]/.test(transitionDuration) || (animationName !== 'none' && /[1-9]/.test(animationDuration))
}).map(({ className, localName }) => localName + '.' + className)`

it('console 63: nothing moves for whoever asked for less motion', async () => {
  const { page } = stage
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const screen of ['session', '/', '/sessions', '/manage/rules']) {
    await walkTo(screen)
    expect([screen, await page.evaluate(MOVING)]).toEqual([screen, []])
  }
  await walkTo('session')
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('option').first().waitFor()
  expect(await page.evaluate(MOVING)).toEqual([])
  await page.keyboard.press('Escape')
  await page.emulateMedia({ reducedMotion: 'no-preference' })
})

it('console 64: a message is sent and a call approved by keyboard alone', async () => {
  await stage.page.goto(stage.server().url + session)
  await chat.card.waitFor()
  const allow = chat.card.getByRole('button', { name: /^Allow/ })
  await chat.composer.focus()
  for (let presses = 0; presses < 30 && !(await allow.evaluate((button) => button.matches(':focus'))); presses++) {
    await stage.page.keyboard.press('Shift+Tab')
  }
  await stage.page.keyboard.press('Enter')
  await chat.answered('RESULTS 1')
  await chat.rests()
  await stage.page.evaluate(LISTEN)
  await chat.composer.focus()
  await stage.page.keyboard.type('say one two three four five six seven eight nine ten')
  await stage.page.keyboard.press('Enter')
  await chat.answered('nine ten')
  await chat.rests()
  // Whatever the number of words: one sentence at the end, and one at the start where the page saw the turn run.
  await expect.poll(() => stage.page.evaluate('globalThis.said.at(-1)')).toBe('The agent has answered.')
  const said = await stage.page.evaluate('globalThis.said')
  expect(['The agent is answering.', 'The agent has answered.']).toEqual(expect.arrayContaining(said as string[]))
  expect(said).toHaveLength(new Set(said as string[]).size)
})

/** Collects what a screen reader is told. */
const LISTEN = `(() => {
  globalThis.said = []
  const status = document.querySelector('.visually-hidden[role=status]')
  new MutationObserver(() => globalThis.said.push(status.textContent))
    .observe(status, { childList: true, characterData: true, subtree: true })
})()`

/**
 * The English words of a page, in its texts and its labels. Names, commands, paths, the text of people and agents and
 * what is marked as not to be translated stay as they are.
 */
const ENGLISH = `(() => {
  const RAW = 'code, pre, kbd, .mono, [translate=no], .said, .markdown, .thinking-text, .thinking-start'
  const own = /polylogue|scripted(, bare)?|coder|assistant|english|chrome|bash|aap|acp|blade|console|mcp|cron|local(\\.key)?|utc|curl|zed|token|\\bapi\\b/gi
  const texts = []
  const walker = document.createTreeWalker(document.querySelector('.shell'), NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT)
  for (let node = walker.currentNode; node !== null; node = walker.nextNode()) {
    const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node
    if (element.closest(RAW) !== null) continue
    if (node.nodeType === Node.TEXT_NODE) texts.push(node.data)
    else for (const name of ['aria-label', 'title', 'placeholder', 'alt']) texts.push(node.getAttribute(name) ?? '')
  }
  return texts.filter((text) => /[A-Za-z]{3,}/.test(text.replace(own, '')))
})()`

describe('in Chinese', () => {
  beforeAll(async () => {
    await stage.page.evaluate("localStorage.setItem('polylogue.language', 'zh-CN')")
    // Its title is what was said first.
    await stage.page.evaluate(`fetch('/api/sessions/${session.split('/')[2]}', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ intent: '任务' }),
    })`)
    await openScreen('/')
  })

  it.each(SCREENS)('console 66: no English is left on %s', async (screen) => {
    await walkTo(screen)
    await stage.page.locator('main h1').first().waitFor()
    if (screen === 'session') await stage.page.locator('.agent-row').first().waitFor()
    expect(await stage.page.evaluate(ENGLISH)).toEqual([])
  })

  it('console 66: the Enter of an input method sends nothing', async () => {
    await stage.page.goto(addressOf('/'))
    await chat.composer.fill('你好')
    await chat.composer.dispatchEvent('keydown', { key: 'Enter', keyCode: 229, isComposing: true })
    expect(await chat.composer.inputValue()).toBe('你好')
    expect(new URL(stage.page.url()).pathname).toBe('/')
  })
})

describe('by finger', () => {
  let page: Page
  let phone: Chat
  beforeAll(async () => {
    const { cookies } = await stage.context.storageState()
    page = await stage.newPage({
      viewport: { width: 390, height: 780 },
      hasTouch: true,
      isMobile: true,
      storageState: { cookies, origins: [] },
    })
    phone = chatOn(page)
  })
  afterAll(() => page.context().close())

  it('console 65: one tap on Send sends, although the bar comes back when the keyboard goes', async () => {
    await page.goto(stage.server().url ?? '')
    await page.locator('.new .pick').first().tap()
    await page
      .getByRole('menuitem')
      .filter({ hasText: /^ScriptedDoes/ })
      .tap()
    for (const text of ['From the phone', 'Once more']) {
      await phone.composer.tap()
      await phone.composer.fill(`say ${text}`)
      expect(await page.locator('.phone-bar').isVisible()).toBe(false)
      await page.locator('.composer button[type=submit]').tap()
      await phone.answered(text)
      await phone.rests()
    }
    await page.locator('.phone-bar').waitFor()
  })

  it('console 65: the open tab is in view, although not all of them fit', async () => {
    await page.goto(addressOf('/manage/budgets'))
    const tab = page.locator('.tabs [aria-current=page]')
    await tab.waitFor()
    const { x, width } = (await tab.boundingBox()) ?? { x: -1, width: 0 }
    expect([x >= 0, x + width <= 390]).toEqual([true, true])
    await page.goBack()
  })

  it('console 65: what is higher than the window begins at its top', async () => {
    await page.setViewportSize({ width: 390, height: 480 })
    await page.goto(addressOf('/'))
    await page.locator('.first-steps').waitFor()
    expect((await page.locator('main h1').boundingBox())?.y).toBeGreaterThanOrEqual(0)
    await page.setViewportSize({ width: 390, height: 780 })
    await page.goBack()
  })

  it('console 65: what a finger touches is 44 pixels high', async () => {
    await phone.composer.fill(call('b2', 'Bash', { command: 'uname -finger' }))
    await phone.composer.press('Enter')
    const heightsOf = (name: string) =>
      page.locator(name).evaluateAll((all) => all.map(({ clientHeight }) => clientHeight))
    await phone.card.getByRole('button', { name: /^Allow/ }).waitFor()
    expect(Math.min(...(await heightsOf('.ask label')))).toBeGreaterThanOrEqual(44)
    const header = await page.locator('.chat-header').boundingBox()
    const sheet = await phone.card.boundingBox()
    expect((header?.y ?? 0) + (header?.height ?? 0)).toBeLessThanOrEqual(sheet?.y ?? 0)
    await phone.card.getByRole('button', { name: /^Allow/ }).tap()
    await phone.rests()
    await page.locator('.chat-header button').last().tap()
    await page.getByRole('menuitem').first().waitFor()
    expect(Math.min(...(await heightsOf('[role=menuitem]')))).toBeGreaterThanOrEqual(44)
    await page.goto(addressOf('/sessions'))
    await page.locator('.page select').first().waitFor()
    // Without their borders.
    expect(Math.min(...(await heightsOf('.page :is(.field, select)')))).toBeGreaterThanOrEqual(42)
    expect(withoutLosses(stage.complaints)).toEqual([])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { type Chat, chatOn } from './chat.ts'
import { checkStop } from './long-lines.ts'
import { type Stage, openStage, withoutLosses } from './stage.ts'

let stage: Stage
let chat: Chat

beforeAll(async () => {
  stage = await openStage()
  chat = chatOn(stage.page)
})
afterAll(() => stage.close())

const MARKDOWN = script(
  'think Let me look at it',
  'say The **hash** is compared first.',
  '',
  'say | test | got |',
  'say |---|---|',
  'say | trims | 401 |',
  '',
  'say ```ts',
  'say const one = 1',
  'say ```',
)

describe('signing in', () => {
  it('console 1: the printed link opens a signed-in composer, and works once', async () => {
    expect(new URL(stage.page.url()).pathname).toBe('/')
    expect(await chat.composer.isEnabled()).toBe(true)
    const second = await (await stage.newContext()).newPage()
    await second.goto(stage.server().signInUrl ?? '')
    await second.getByRole('alert').waitFor()
    expect(second.url()).not.toContain('code')
    await second.goto(stage.server().url ?? '')
    await second.getByRole('heading', { name: 'This browser is not signed in' }).waitFor()
    await second.context().close()
  })

  it('console 1: an API key signs a browser in as well', async () => {
    const context = await stage.newContext()
    const page = await context.newPage()
    await page.goto(stage.server().url ?? '')
    await page.getByLabel('Or sign in with an API key').fill(stage.server().localKey ?? '')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('.composer textarea').waitFor()
    await context.close()
  })

  it('console 70: no key or code is in scripts, storage or the address', async () => {
    const kept = await stage.page.evaluate(
      '[document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), location.href]',
    )
    expect(kept).toEqual(['', expect.any(String), '{}', expect.any(String)])
    expect(String(kept)).not.toMatch(/sk-|code=|token/i)
  })
})

describe('the chat', () => {
  it('console 4, 5: Markdown, thinking and tool calls are shown as they come', async () => {
    await chat.begin(script(MARKDOWN, call('c1', 'echo', { msg: 'from the tool' }), '---', 'say Done.'))
    await chat.answered('Done.')
    const row = stage.page.locator('.agent-row').first()
    expect(await row.locator('strong').innerText()).toBe('hash')
    expect(await row.locator('table td').allInnerTexts()).toEqual(['trims', '401'])
    expect(await row.locator('.code-block code').innerText()).toBe('const one = 1')
    const fold = row.locator('.thinking .fold')
    expect(await fold.getAttribute('aria-expanded')).toBe('false')
    await fold.click()
    expect(await row.locator('.thinking-text').innerText()).toBe('Let me look at it')
    await chat.call('c1').locator('.call-head').click()
    expect(await chat.call('c1').locator('.call-fields').innerText()).toBe('msg\nfrom the tool')
    expect(await chat.call('c1').locator('pre').innerText()).toBe('from the tool')
    expect(await chat.call('c1').locator('.call-time').innerText()).toMatch(/^[\d.]+ m?s$/)
  })

  it('console 4: what has been drawn of an answer stays the same elements until its end', async () => {
    await chat.begin(script(MARKDOWN, '', 'sleep 2500', 'say The last words.'))
    const drawn = stage.page.locator('.agent-row :is(.markdown:not(.plain) strong, table, .code-block)')
    await expect.poll(() => drawn.count(), { timeout: 20_000 }).toBe(3)
    await drawn.evaluateAll((all) => all.forEach((one) => Reflect.set(one, 'wasThere', true)))
    await chat.answered('The last words.')
    await chat.rests()
    expect(await drawn.evaluateAll((all) => all.map((one): unknown => Reflect.get(one, 'wasThere')))).toEqual([
      true,
      true,
      true,
    ])
  })

  it('console 4: a paragraph in Arabic begins at the right, and one in English beside it at the left', async () => {
    await chat.begin(script('say مرحبا بالعالم.', '', 'say Hello, world.'))
    await chat.answered('Hello, world.')
    // How far the letters are from both edges of their paragraph.
    const edges = await stage.page
      .evaluate(`[...document.querySelectorAll('.agent-row .markdown p')].map((paragraph) => {
      const range = document.createRange()
      range.selectNodeContents(paragraph)
      const [text, room] = [range.getBoundingClientRect(), paragraph.getBoundingClientRect()]
      return { left: text.left - room.left < 1, right: room.right - text.right < 1 }
    })`)
    expect(edges).toEqual([
      { left: false, right: true },
      { left: true, right: false },
    ])
  })

  it('console 6: a reload in the middle of an answer shows the same text, which continues', async () => {
    await chat.begin('think Slowly\nsay One two\nsleep 4000\nsay three four')
    await chat.answered('One two')
    await stage.page.reload()
    await chat.answered('One two')
    await chat.answered('three four')
    await chat.rests()
    const shown = await chat.rows()
    await stage.page.reload()
    await chat.answered('three four')
    await expect.poll(() => chat.rows()).toEqual(shown)
    expect(shown.slice(1)).toEqual(['One two three four'])
  })

  it('console 7: a restart of the server in the middle of an answer loses and doubles no word', async () => {
    await chat.begin('say Before\nsleep 2500\nsay after')
    await chat.answered('Before')
    await stage.restart()
    await chat.answered('after')
    await chat.rests()
    await expect.poll(async () => (await chat.rows()).slice(1)).toEqual(['Before', 'Before after'])
    await stage.page.reload()
    await chat.answered('after')
    await expect.poll(async () => (await chat.rows()).slice(1)).toEqual(['Before', 'Before after'])
  })

  it('console 8, 41: two tabs show the same, and the list updates sessions that are not open', async () => {
    const other = chatOn(await stage.context.newPage())
    await other.page.goto(stage.server().url ?? '')
    await other.composer.waitFor()
    await chat.begin(script('say Both tabs', 'sleep 600000'))
    const row = other.page.locator('.session-row').first()
    await row.getByRole('img', { name: 'running' }).waitFor()
    await row.click()
    await other.answered('Both tabs')
    await chat.say('say see this')
    await other.page.locator('.queue li').waitFor()
    await other.page.locator('.composer-stop').click()
    await Promise.all([chat.rests(), other.rests()])
    await other.say('say see this')
    await Promise.all([other.answered('see this'), chat.answered('see this')])
    await Promise.all([chat.rests(), other.rests()])
    const seen = await chat.rows()
    await expect.poll(() => other.rows()).toEqual(seen)
    await row.getByRole('img', { name: 'idle' }).waitFor()
    await other.say('say Said in the second tab')
    await chat.answered('Said in the second tab')
    await other.page.close()
  })

  it('console 9: Esc stops the answer and what it runs; the text so far stays, after a reload too', async () => {
    // A second on a quiet machine, which `npm run proof -- console` measures.
    await checkStop(stage, { mostMs: 10_000 })
  })

  it('console 9: Esc closes what is open first', async () => {
    await chat.begin('say Partial text\nsleep 600000')
    await chat.answered('Partial text')
    await stage.page.getByRole('button', { name: 'More' }).click()
    await stage.page.getByRole('menu').waitFor()
    await stage.page.keyboard.press('Escape')
    await stage.page.getByRole('menu').waitFor({ state: 'detached' })
    await stage.page.keyboard.press('ControlOrMeta+k')
    await stage.page.getByRole('dialog').waitFor()
    await stage.page.keyboard.press('Escape')
    await stage.page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await stage.page.locator('.composer-stop').isVisible()).toBe(true)
    await stage.page.keyboard.press('Escape')
    await chat.rests()
  })

  it('console 10, 11: a queued message survives a reload, is edited and dropped, and returns to the composer after a stop', async () => {
    await chat.begin('say Busy\nsleep 600000')
    await chat.answered('Busy')
    await chat.say('then the docs')
    const queue = stage.page.locator('.queue li')
    await queue.waitFor()
    expect(await queue.innerText()).toContain('then the docs')
    await stage.page.reload()
    await queue.waitFor()
    await chat.say('and the tests')
    await queue.nth(1).waitFor()
    await queue.nth(0).getByRole('button', { name: 'Change this message' }).click()
    await queue.nth(0).getByRole('textbox').fill('then all the docs')
    await queue.nth(0).getByRole('textbox').press('Enter')
    await queue.nth(0).getByText('then all the docs').waitFor()
    expect(await queue.allInnerTexts()).toEqual([
      expect.stringContaining('then all the docs'),
      expect.stringContaining('and the tests'),
    ])
    await queue.nth(1).getByRole('button', { name: 'Drop this message' }).click()
    await queue.nth(1).waitFor({ state: 'detached' })
    await stage.page.locator('.composer-stop').click()
    await chat.rests()
    await queue.waitFor({ state: 'detached' })
    await expect.poll(() => chat.composer.inputValue()).toBe('then all the docs')
    await chat.composer.fill('')
  })

  it('console 62: a revoked sign-in leaves the page with one sentence, and the draft', async () => {
    const context = await stage.newContext()
    const page = await context.newPage()
    await page.goto(stage.server().url ?? '')
    await page.getByLabel('Or sign in with an API key').fill(stage.server().localKey ?? '')
    await page.getByRole('button', { name: 'Sign in' }).click()
    const other = chatOn(page)
    await other.composer.fill('a draft that stays')
    await page.evaluate(
      "fetch('/signout', {method: 'POST', headers: {'content-type': 'application/json'}, body: '{}'})",
    )
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toContain('You were signed out')
    expect(await other.composer.inputValue()).toBe('a draft that stays')
    await context.close()
  })
})

it('console 71: no page broke a rule of its own', () => {
  expect(withoutLosses(stage.complaints)).toEqual([])
})

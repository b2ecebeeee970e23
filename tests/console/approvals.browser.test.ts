import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { type Chat, chatOn } from './chat.ts'
import { type Stage, openStage, withoutLosses } from './stage.ts'

let stage: Stage
let chat: Chat

beforeAll(async () => {
  stage = await openStage()
  chat = chatOn(stage.page)
})
afterAll(() => stage.close())

const running = (id: string, command: string) => call(id, 'Bash', { command })
const WAIT = { timeout: 15_000 }
const button = (name: string) => chat.card.getByRole('button', { name, exact: false }).first()

/** Asks the server as the page does. */
const api = <T = unknown>(method: string, path: string, body: object = {}): Promise<T> =>
  stage.page.evaluate(`fetch('/api/polylogue/${path}', {
    method: '${method}',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(${JSON.stringify(body)}),
  }).then(async (answer) => (answer.status === 204 ? undefined : answer.json()))`) as Promise<T>

interface DiffRow {
  readonly before?: number
  readonly after?: number
  readonly sign: string
  readonly text: string
}

async function rowsOf(diff: Locator): Promise<readonly DiffRow[]> {
  const cells = await diff
    .locator('tr:not(.diff-gap)')
    .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)))
  return cells.map(([before = '', after = '', sign = '', text = '']) => ({
    ...(before !== '' && { before: Number(before) }),
    ...(after !== '' && { after: Number(after) }),
    sign,
    text,
  }))
}

/** The lines of a file after a diff. Fails if the diff does not fit the file. */
function applied(lines: readonly string[], diff: readonly DiffRow[]): readonly string[] {
  const gone = diff.filter(({ sign }) => sign === '−')
  const old = diff.filter(({ sign }) => sign !== '+')
  expect(old.map(({ before = 0 }) => lines[before - 1])).toEqual(old.map(({ text }) => text))
  const kept = lines.filter((_, index) => !gone.some(({ before }) => before === index + 1))
  return diff
    .filter(({ sign }) => sign === '+')
    .reduce<readonly string[]>((result, { after = 0, text }) => result.toSpliced(after - 1, 0, text), kept)
}

describe('an approval', () => {
  it('console 26, 27: shows every byte of a long command, with the buttons in view on a phone', async () => {
    const command = `npm run x ${'long '.repeat(2000)}\u202ethe-end`
    await stage.page.setViewportSize({ width: 360, height: 640 })
    await stage.page.locator('.phone-bar').getByRole('button', { name: 'More' }).click()
    await chat.begin(running('b1', command))
    const shown = chat.card.locator('.card-command')
    expect(await shown.textContent()).toBe(command.replace('\u202e', '\\u202e'))
    // The exact input is that of the record, and its hash the one that was asked for.
    const id = new URL(stage.page.url()).pathname.split('/')[2]
    const record = (await stage.page.evaluate(
      `fetch('/api/polylogue/sessions/${id}/calls/b1').then((answer) => answer.json())`,
    )) as { input: unknown; requested: { callHash: string } }
    expect(record.input).toEqual({ command })
    await chat.card.locator('summary').click()
    expect(JSON.parse((await chat.card.locator('details pre').textContent()) ?? '')).toEqual(record.input)
    expect(await chat.card.locator('details code').innerText()).toBe(record.requested.callHash)
    await chat.card.locator('summary').click()
    for (const name of ['Deny', 'Allow']) {
      const box = await button(name).boundingBox()
      expect(box?.y ?? 0).toBeGreaterThan(0)
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(640)
    }
    await button('Deny').click()
    await chat.answered('RESULTS 1: Tool call denied')
    await stage.page.setViewportSize({ width: 1280, height: 800 })
  })

  it('console 28: a change of a file shows a diff with the lines of the file, which adds up to the new file', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`)
    const edits = [
      { oldText: 'line 20\nline 21\nline 22', newText: 'line 20\ntwenty-one\nand a half\nline 22' },
      { oldText: 'line 33\n', newText: '' },
    ]
    const [first] = edits
    const rule = await api<{ id: string }>('POST', 'permissions', { tool: 'Edit', action: 'ask' })
    await chat.begin(
      script(
        call('w1', 'Write', { path: 'a.txt', content: lines.join('\n') }),
        '---',
        call('e1', 'Edit', { path: 'a.txt', ...first }),
        '---',
        call('r1', 'Read', { path: 'a.txt' }),
        '---',
        call('e2', 'Edit', { path: 'a.txt', edits: [{ oldText: 'twenty-one', newText: '21' }, edits[1]] }),
        '---',
        'say Changed.',
      ),
    )
    const shown = chat.card.locator('.diff')
    await shown.waitFor()
    const asked = await rowsOf(shown)
    const added = lines.toSpliced(20, 1, 'twenty-one', 'and a half')
    expect(applied(lines, asked)).toEqual(added)
    await button('Allow').click()
    // The next call has a card of its own, with two changes, each with its place.
    await expect.poll(() => shown.count(), WAIT).toBe(2)
    expect((await rowsOf(shown.first())).map(({ before, after }) => [before, after])).toEqual([
      [21, undefined],
      [undefined, 21],
    ])
    expect((await rowsOf(shown.nth(1))).map(({ sign, before }) => [sign, before])).toEqual([['−', 34]])
    await button('Allow').click()
    await chat.answered('Changed.')
    await chat.call('e1').locator('.call-head').click()
    await expect.poll(() => rowsOf(chat.call('e1').locator('.diff')), WAIT).toEqual(asked)
    await chat.call('r1').locator('.call-head').click()
    const read = await chat.call('r1').locator('.call-output pre').last().innerText()
    expect(read.split('\n').map((line) => line.replace(/^ *\d+\s/, ''))).toEqual(added)
    await api('DELETE', `permissions/${rule.id}`)
  })

  it('console 29: allows for the session, naming what that covers', async () => {
    await chat.begin(script(running('s1', 'uname -one'), '---', running('s2', 'uname -two'), '---', 'say Through.'))
    await chat.card
      .getByLabel(/^For this session/)
      .first()
      .waitFor()
    expect((await chat.card.locator('.scope-option').allInnerTexts()).slice(0, 4)).toEqual([
      'Once',
      'For this session: uname -one',
      'For this session: uname with any arguments',
      'For this session: every call of Bash, except dangerous commands',
    ])
    await chat.card.getByLabel('For this session: uname with any arguments').check()
    await button('Allow').click()
    await chat.answered('Through.')
    expect(await chat.call('s2').getAttribute('data-status')).not.toBe('awaiting_answer')
  })

  it('console 30: a rule shows its text and what it would have changed before it is saved', async () => {
    await chat.begin(script(running('r1', 'uname -lint'), '---', 'say Ruled.'))
    const rule = chat.card.locator('.scope-option').filter({ hasText: 'Always, as a rule' })
    expect(await rule.locator('code').innerText()).toBe('Bash command=^uname -lint$')
    expect(await rule.locator('[data-backtest]').innerText()).toMatch(
      /^Of the last \d+ calls it allows \d+ and changes \d+\.$/,
    )
    await chat.card.getByLabel(/^Always, as a rule/).check()
    await rule.getByRole('link', { name: 'Change the rule first' }).waitFor()
    await button('Allow').click()
    await chat.answered('Ruled.')
    const rules = await stage.page.evaluate("fetch('/api/polylogue/permissions').then((answer) => answer.json())")
    expect(JSON.stringify(rules)).toContain('^uname -lint$')
  })

  it('console 33: when two tabs answer, one wins and the other shows it', async () => {
    const other = chatOn(await stage.context.newPage())
    await chat.begin(script(running('t1', 'uname -both'), '---', 'say Once.'))
    await chat.card.waitFor()
    await other.page.goto(stage.page.url())
    await other.card.waitFor()
    await button('Allow').click()
    await chat.answered('Once.')
    await other.page.getByText('was answered elsewhere').waitFor()
    await other.card.waitFor({ state: 'detached' })
    await other.page.close()
  })

  it('console 34: waits through a restart of the server', async () => {
    await chat.begin(script(running('w9', 'uname -patient'), '---', 'say Patient.'))
    await chat.card.waitFor()
    await stage.restart()
    await stage.page.reload()
    await chat.card.waitFor()
    await button('Allow').click()
    await chat.answered('Patient.')
  })

  it('console 35: a key that comes with the card answers nothing; a later one does, on the focused card only', async () => {
    await stage.page.evaluate(`new MutationObserver((_, observer) => {
      const card = document.querySelector('.ask .card')?.closest('.ask')
      if (!card) return
      observer.disconnect()
      card.focus()
      card.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }))
      globalThis.early = Date.now()
    }).observe(document.body, { childList: true, subtree: true })`)
    await chat.begin(script(running('k1', 'uname -keys'), '---', 'say Keyed.'))
    await expect.poll(() => stage.page.evaluate('Date.now() - globalThis.early'), WAIT).toBeGreaterThan(600)
    expect(await chat.card.isVisible()).toBe(true)
    await stage.page.locator('.chat-header h1').click()
    await stage.page.keyboard.press('a')
    expect(await chat.card.isVisible()).toBe(true)
    await chat.card.focus()
    await stage.page.keyboard.press('a')
    await chat.answered('Keyed.')
  })

  it('console 36: a denial with a reason reaches the model', async () => {
    await chat.begin(script(running('d1', 'uname -no')))
    await button('Deny, say why').click()
    await chat.card.getByLabel('Why not? The model reads it.').fill('use pnpm')
    await chat.card.getByRole('button', { name: 'Deny' }).click()
    await chat.answered('use pnpm')
  })
})

describe('a question', () => {
  const COLOUR = { question: 'Which colour?', options: [{ label: 'Red', description: 'warm' }, { label: 'Blue' }] }
  const SIZES = { question: 'Which sizes?', multiSelect: true, options: [{ label: 'Small' }, { label: 'Large' }] }

  it('console 16: with two parts is answered by choice and in own words', async () => {
    await chat.begin(call('q1', 'AskUserQuestion', { questions: [COLOUR, SIZES] }))
    await chat.card.getByRole('button', { name: 'Answer' }).click()
    await chat.card.getByText('Answer every question first.').waitFor()
    await chat.card.getByLabel('Or in your own words').first().fill('green')
    await chat.card.getByLabel('Small').check()
    await chat.card.getByLabel('Large').check()
    await chat.card.getByRole('button', { name: 'Answer' }).click()
    await chat.answered('RESULTS 1: Which colour? green')
    await chat.answered('Which sizes? Small, Large')
  })

  it('console 67: markup and odd characters of a model stay text', async () => {
    const evil = '<img src=x onerror="document.title=1"><b>bold</b>'
    await chat.begin(
      script(`say ${evil}`, call('q2', 'AskUserQuestion', { questions: [{ question: `${evil}\u202e?` }] })),
    )
    await chat.card.waitFor()
    expect(await chat.card.locator('legend').innerText()).toBe(`${evil}\\u202e?`)
    await expect.poll(async () => (await chat.rows()).at(-1)).toBe(evil)
    expect(await stage.page.locator('.transcript img, .transcript b, .ask img, .ask b').count()).toBe(0)
    await chat.card.getByRole('button', { name: 'Decline' }).click()
    await chat.rests()
  })
})

it('console 71: no page broke a rule of its own', () => {
  expect(withoutLosses(stage.complaints)).toEqual([])
})

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { type Stage, openStage } from './browser.ts'

let stage: Stage
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

const callOf = (id: string) => page.locator(`[data-call=${id}]`)
const button = (id: string, name: string) => callOf(id).getByRole('button', { name, exact: true })
const answered = (text: string) => page.locator('#transcript > .text').filter({ hasText: text }).last().waitFor()
const isIdle = () => page.locator('#send').waitFor()
const badge = (id: string) => callOf(id).locator('summary .badge').first().innerText()

async function beginSession({ picksTools = false } = {}): Promise<void> {
  await page.locator('#new-session').click()
  await page.locator('#welcome').waitFor()
  await page.locator('#agent').selectOption('scripted')
  if (!picksTools) return
  await page.locator('#tools-box summary').click()
  await page.locator('#pick-tools').check()
  await page.locator('#tools-box summary').click()
}

async function say(text: string): Promise<void> {
  await page.locator('#prompt').fill(text)
  await page.locator('#prompt').press('Enter')
}

const COLOUR = {
  header: 'Colour',
  question: 'Which colour?',
  options: [{ label: 'Red', description: 'warm' }, { label: 'Blue' }],
}
const SIZES = {
  question: 'Which sizes?',
  multiSelect: true,
  options: [{ label: 'Small' }, { label: 'Medium' }, { label: 'Large' }],
}
const asking = (id: string, ...questions: readonly object[]) => script(call(id, 'AskUserQuestion', { questions }))
const running = (id: string, command: string) => script(call(id, 'Bash', { command }))

describe('a question', () => {
  it('is answered by a click', async () => {
    await beginSession()
    await say(asking('q1', COLOUR))
    await callOf('q1').getByRole('group', { name: 'Which colour?' }).waitFor()
    expect(await badge('q1')).toBe('asks you')
    await button('q1', 'Answer').click()
    await callOf('q1').getByText('Answer every question').waitFor()
    await callOf('q1').getByLabel('Blue').check()
    await button('q1', 'Answer').click()
    await answered('RESULTS 1: Blue')
    expect(await badge('q1')).toBe('done')
    expect(await callOf('q1').locator('form').isVisible()).toBe(false)
  })

  it('takes several choices and words of one’s own, and several questions at once', async () => {
    await beginSession()
    await say(asking('q2', COLOUR, SIZES))
    await callOf('q2').getByRole('group', { name: 'Which sizes?' }).waitFor()
    await callOf('q2').getByLabel('Small').check()
    await callOf('q2').getByLabel('Large').check()
    await callOf('q2').getByLabel('Or in your own words').nth(0).fill('green')
    await callOf('q2').getByLabel('Or in your own words').nth(1).fill('huge')
    await button('q2', 'Answer').click()
    await answered('RESULTS 1: Which colour? green')
    await answered('Which sizes? Small, Large, huge')
  })

  it('is declined', async () => {
    await beginSession()
    await say(asking('q3', { question: 'Why?' }))
    await callOf('q3').getByLabel('Your answer').waitFor()
    await button('q3', 'Decline').click()
    await answered('RESULTS 1: Tool call denied')
    expect(await callOf('q3').locator('.result').textContent()).toBe('Tool call denied')
  })

  it('waits through a restart of the server, for a page that stayed and for one that is loaded anew', async () => {
    for (const isReloaded of [false, true]) {
      await beginSession()
      await say(asking('q4', COLOUR))
      await callOf('q4').getByLabel('Red').check()
      await stage.restart()
      if (isReloaded) {
        await page.reload()
        await callOf('q4').getByLabel('Red').check()
      }
      await button('q4', 'Answer').click()
      await answered('RESULTS 1: Red')
      await isIdle()
    }
  })

  it('is there after a reload, and its answer too', async () => {
    await beginSession()
    await say(asking('q5', COLOUR))
    await callOf('q5').getByLabel('Red').waitFor()
    await page.reload()
    await callOf('q5').getByLabel('Red').check()
    await button('q5', 'Answer').click()
    await answered('RESULTS 1: Red')
    await page.reload()
    await answered('RESULTS 1: Red')
    expect(await callOf('q5').locator('.result').textContent()).toBe('Red')
  })

  it('shows markup and odd characters of a model as text', async () => {
    await beginSession()
    await say(asking('q6', { question: '<b>Really</b>\u202e?', options: [{ label: '<i>yes</i>' }] }))
    const form = callOf('q6').locator('form')
    await form.waitFor()
    expect(await form.innerText()).toContain('<b>Really</b>\\u202e?')
    expect(await form.locator('b, i').count()).toBe(0)
    await callOf('q6').getByLabel('<i>yes</i>').check()
    await button('q6', 'Answer').click()
    await answered('RESULTS 1: <i>yes</i>')
  })
})

describe('an approval', () => {
  it('shows the whole command and why it is asked for, and runs it after a yes', async () => {
    const command = `echo ${'long '.repeat(200)}the-end > out.txt\nwc -w out.txt`
    await beginSession()
    await say(running('b1', command))
    await button('b1', 'Allow').waitFor()
    expect(await callOf('b1').locator('.command').innerText()).toBe(command)
    expect(await callOf('b1').locator('.reason').innerText()).toContain('The mode of this session asks')
    await button('b1', 'Allow').click()
    await answered('RESULTS 1: 201 out.txt')
  })

  it('shows what a file would become, as a difference, and writes it after a yes', async () => {
    await beginSession({ picksTools: true })
    await say(script(call('w1', 'Write', { path: 'a.txt', content: 'one\ntwo\nthree\n' })))
    await button('w1', 'Allow').waitFor()
    expect(await callOf('w1').locator('.diff figcaption').innerText()).toContain('a.txt (new file)')
    expect(await callOf('w1').locator('.diff pre').innerText()).toBe('+ one\n+ two\n+ three\n')
    expect(await callOf('w1').locator('.reason').innerText()).toContain('not trusted')
    await button('w1', 'Allow').click()
    await answered('RESULTS 1: Created a.txt')
    await isIdle()

    await say(script(call('w2', 'Write', { path: 'a.txt', content: 'one\n2\nthree\n' })))
    await button('w2', 'Deny').waitFor()
    await page.reload()
    await button('w2', 'Deny').waitFor()
    expect(await callOf('w2').locator('.diff pre').innerText()).toBe('  one\n- two\n+ 2\n  three\n')
    await button('w2', 'Deny').click()
    await answered('RESULTS 1: Tool call denied')
  })

  it('of a sub-agent is shown as such, and the sub-agent goes on', async () => {
    await beginSession()
    const prompt = `${running('inner', 'date > stamp.txt')}\n---\nsay found`
    await say(script(call('a1', 'Agent', { description: 'Look around', prompt })))
    await button('inner', 'Allow').waitFor()
    expect(await callOf('inner').locator('.owner').innerText()).toBe('of a sub-agent: Look around')
    expect(await badge('a1')).toBe('waits for a call of its own')
    expect(await callOf('a1').getByRole('button').count()).toBe(0)
    await page.reload()
    await button('inner', 'Allow').click()
    await answered('RESULTS 1: found')
    expect(await callOf('inner').locator('.owner').innerText()).toBe('of a sub-agent: Look around')
  })

  it('and a question of one step are answered together', async () => {
    await beginSession()
    await say(`${asking('q7', COLOUR)}\n${running('b2', 'date > stamp.txt')}`)
    await callOf('q7').getByLabel('Red').check()
    await button('q7', 'Answer').click()
    expect(await badge('q7')).toBe('answered')
    await button('b2', 'Deny').click()
    await answered('RESULTS 2: Red|Tool call denied')
  })
})

describe('a call that runs', () => {
  it('is stopped alone, and the turn goes on', async () => {
    await beginSession()
    await say(script(call('s1', 'slow', { ms: 600_000 })))
    await button('s1', 'Stop this call').click()
    await answered('RESULTS 1: Tool call cancelled')
    await isIdle()
    expect(await button('s1', 'Stop this call').isVisible()).toBe(false)
  })
})

describe('the mode', () => {
  const preset = () => page.locator('#preset').inputValue()
  const planning = () => page.getByRole('switch', { name: 'Planning' })

  it('is changed by planning, and is what it was afterwards', async () => {
    await beginSession()
    expect(await preset()).toBe('workspace-write')
    await say(running('m1', 'date > stamp.txt'))
    await button('m1', 'Deny').click()
    await answered('RESULTS 1: Tool call denied')
    await isIdle()

    await planning().check()
    await expect.poll(preset).toBe('plan')
    await say(running('m2', 'date > stamp.txt'))
    await answered('RESULTS 1: Error: the tool Bash is not allowed in mode plan')
    await isIdle()
    await page.reload()
    await answered('not allowed in mode plan')
    expect(await planning().isChecked()).toBe(true)

    await planning().uncheck()
    await expect.poll(preset).toBe('workspace-write')
    await say(running('m3', 'date > stamp.txt'))
    await button('m3', 'Deny').click()
    await answered('RESULTS 1: Tool call denied')
  })

  it('is chosen before a session begins, planning too', async () => {
    await beginSession()
    await page.locator('#preset').selectOption('full-access')
    await planning().check()
    await say(running('m4', 'date > stamp.txt'))
    await answered('not allowed in mode plan')
    await isIdle()
    await planning().uncheck()
    await expect.poll(preset).toBe('full-access')
    await say(running('m5', 'date > stamp.txt && wc -l stamp.txt'))
    await answered('RESULTS 1: 1 stamp.txt')
  })

  it('is chosen from all there are', async () => {
    await beginSession()
    await say('say ready')
    await answered('ready')
    await isIdle()
    await page.locator('#preset').selectOption('read-only')
    await say(script(call('m6', 'Write', { path: 'a.txt', content: 'x' })))
    await answered('is not allowed in mode read-only')
  })
})

describe('a session that the server refuses to make', () => {
  it('leaves what was typed, and the reason', async () => {
    await beginSession()
    const sessions = '**/api/polylogue/sessions'
    const error = 'preset: full-access is above the ceiling, workspace-write.'
    await page.route(sessions, (route) => route.fulfill({ status: 403, json: { error } }))
    await say('say hello')
    await page.locator('#problem').getByText(error).waitFor()
    expect(await page.locator('#prompt').inputValue()).toBe('say hello')
    await page.unroute(sessions)
    await page.locator('#prompt').press('Enter')
    await answered('hello')
    expect(await page.locator('#problem').isVisible()).toBe(false)
  })
})

describe('a plan', () => {
  it('is shown as a list', async () => {
    await beginSession()
    const todos = [
      { content: 'Begin', status: 'completed' },
      { content: 'Go on', status: 'in_progress' },
      { content: 'End', status: 'pending' },
    ]
    await say(script(call('t1', 'TodoWrite', { todos })))
    await answered('RESULTS 1:')
    expect(await callOf('t1').locator('.plan li').allTextContents()).toEqual(['☑ Begin', '▶ Go on', '☐ End'])
  })
})

it('the page has broken none of its own rules', () => {
  const foreseen = /status of 403|ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|CONNECTION_RESET)/
  expect(complaints.filter((complaint) => !foreseen.test(complaint))).toEqual([])
})

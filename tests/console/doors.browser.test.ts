import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type AcpClient, type Frame, connectAcp } from './acp-client.ts'
import { type Chat, chatOn } from './chat.ts'
import { type Stage, openStage, withoutLosses } from './stage.ts'

/** For a million tokens. */
const PRICE = { input: 1_000, output: 2_000, currency: 'USD' }
let stage: Stage
let chat: Chat
let id: string

interface DoorsPage {
  readonly rows: readonly { readonly seq: number; readonly shown: Readonly<Record<string, readonly Message[]>> }[]
}
interface Message {
  readonly name: string
  readonly id?: string
  readonly body: unknown
}

beforeAll(async () => {
  stage = await openStage({ config: (folder) => ({ acp: { roots: { local: [folder] } }, prices: { '*/*': PRICE } }) })
  chat = chatOn(stage.page)
  await chat.begin(script('think Look', 'say First words', call('d1', 'echo', { msg: 'x' }), '---', 'say Second words'))
  await chat.answered('Second words')
  await chat.rests()
  id = new URL(stage.page.url()).pathname.split('/')[2] ?? ''
})
afterAll(() => stage.close())

const ask = async (path: string): Promise<unknown> => {
  const answer = await fetch(`${stage.server().url}${path}`, {
    headers: { authorization: `Bearer ${stage.server().localKey}` },
  })
  return answer.json()
}
const doorRow = (seq: number) => stage.page.locator(`.doors-row[data-seq="${seq}"]`)

it('console 43: one turn shows in all columns, aligned by seq, and follows live', async () => {
  const { events } = (await ask(`/api/polylogue/sessions/${id}/events`)) as {
    events: readonly { event: { type: string } }[]
  }
  await stage.page.goto(`${stage.server().url}/s/${id}/doors`)
  await doorRow(events.length).waitFor()
  const settled = events.findIndex(({ event }) => event.type === 'tool-call.settled') + 1
  await doorRow(settled).scrollIntoViewIfNeeded()
  const cells = await doorRow(settled).locator('> span').allInnerTexts()
  expect(cells.slice(0, 2)).toEqual([`${settled}`, 'tool-call.settled'])
  expect(cells.slice(2)).toEqual(['tool_result', 'tool_result', 'session/update', expect.stringMatching(/^turn:patch/)])
  const other = chatOn(await stage.context.newPage())
  await other.page.goto(`${stage.server().url}/s/${id}`)
  await other.say('say Third words')
  await other.answered('Third words')
  await doorRow(events.length + 1).waitFor()
  await other.page.close()
})

it.each(['aap/v3', 'aap/v1'])(
  'console 44: the cells of %s are what a client of it gets, byte for byte',
  async (door) => {
    const { rows } = (await ask(`/api/polylogue/sessions/${id}/doors?limit=1000`)) as DoorsPage
    const shown = rows.flatMap((row) => row.shown[door] ?? [])
    // A stream ends with its turn.
    const ofTurn = shown.slice(0, shown.findIndex(({ name }) => name === 'turn_stop') + 1)
    expect(ofTurn.length).toBeGreaterThan(5)
    const sessions = door === 'aap/v3' ? 'sessions' : 'session'
    const answer = await fetch(`${stage.server().url}/${door}/${sessions}/${id}/events?after=0`, {
      headers: { authorization: `Bearer ${stage.server().localKey}` },
    })
    const text = await answer.text()
    expect([...text.matchAll(/^id: (.+)$/gm)].map(([, found]) => found)).toEqual(ofTurn.map((message) => message.id))
    expect([...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => data)).toEqual(
      ofTurn.map(({ body }) => JSON.stringify(body)),
    )
  },
)

it('console 48: readers of the session are listed with their door, and gone within 2 s of leaving', async () => {
  await stage.page.goto(stage.server().url ?? '')
  await chat.begin('say Busy\nsleep 600000')
  await chat.answered('Busy')
  const busy = new URL(stage.page.url()).pathname.split('/')[2] ?? ''
  // The page has a clock that stands still, so that a slow machine takes nothing from its 2 s.
  const context = await stage.newContext({ storageState: await stage.context.storageState() })
  const page = await context.newPage()
  await page.clock.install()
  await page.goto(`${stage.server().url}/s/${busy}/doors`)
  const clients = page.locator('.clients li')
  await clients.filter({ hasText: 'Blade' }).first().waitFor()
  const stop = new AbortController()
  const answer = await fetch(`${stage.server().url}/aap/v3/sessions/${busy}/events?after=0`, {
    headers: { authorization: `Bearer ${stage.server().localKey}` },
    signal: stop.signal,
  })
  expect(answer.status).toBe(200)
  const aap = page.locator('.clients li[data-door^=aap]')
  await aap.getByText('lag 0').waitFor()
  await clients.filter({ hasText: 'Blade' }).getByText('lag 0').first().waitFor()
  await page.clock.pauseAt(Date.now() + 60_000)
  expect(await aap.count()).toBe(1)
  const doorsNow = async (): Promise<readonly string[]> => {
    const { clients: attached } = (await ask(`/api/polylogue/sessions/${busy}/clients`)) as {
      clients: readonly { door: string }[]
    }
    return attached.map(({ door }) => door)
  }
  stop.abort()
  await expect.poll(doorsNow).not.toContain('aap/v3')
  const left = Number(await page.evaluate('Date.now()'))
  const asked = page.waitForResponse(/\/clients$/)
  await page.clock.runFor(1_000)
  await asked
  const isGone = async (): Promise<boolean> => {
    await page.clock.runFor(10)
    return (await aap.count()) === 0
  }
  await expect.poll(isGone).toBe(true)
  expect(Number(await page.evaluate('Date.now()')) - left).toBeLessThan(2_000)
  await context.close()
})

it('console 46, 49, 50: the chat at a seq is the fold of the events before it, offers no change, and Esc is live', async () => {
  const { rows } = (await ask(`/api/polylogue/sessions/${id}/doors?limit=1000`)) as DoorsPage
  const settled = (await ask(`/api/polylogue/sessions/${id}/events?limit=1000`)) as {
    events: readonly { seq: number; event: { type: string } }[]
  }
  const at = settled.events.find(({ event }) => event.type === 'tool-call.settled')?.seq ?? 0
  expect(at).toBeGreaterThan(1)
  await stage.page.goto(`${stage.server().url}/s/${id}?at=${at}`)
  await stage.page.locator(`.past[data-at="${at}"]`).waitFor()
  await stage.page.getByText('First words').last().waitFor()
  await stage.page.locator('.agent-row').first().waitFor()
  expect(await stage.page.locator('.agent-row').count()).toBe(1)
  expect(await stage.page.locator('.composer, .ask, .call-stop').count()).toBe(0)
  await stage.page.goto(`${stage.server().url}/s/${id}?at=${rows.length}`)
  await stage.page.locator(`.past[data-at="${rows.length}"]`).waitFor()
  await stage.page.locator('.agent-row .markdown:not(.plain)').filter({ hasText: 'Third words' }).waitFor()
  // Rows are drawn as plain text until the code for Markdown is there.
  await expect.poll(() => stage.page.locator('.agent-row .markdown:not(.plain)').count()).toBe(3)
  const past = await stage.page.locator('.agent-row .markdown:not(.plain)').allInnerTexts()
  await stage.page.keyboard.press('Escape')
  await chat.composer.waitFor()
  await expect.poll(() => stage.page.locator('.agent-row .markdown:not(.plain)').allInnerTexts()).toEqual(past)
})

interface Tokens {
  readonly inputTokens: number
  readonly outputTokens: number
}
const costOf = ({ inputTokens, outputTokens }: Tokens = { inputTokens: 0, outputTokens: 0 }): number =>
  (inputTokens * PRICE.input + outputTokens * PRICE.output) / 1_000_000
const DOLLARS = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 })

it('console 49: the cost at a seq is that of the steps before it', async () => {
  const { events } = (await ask(`/api/polylogue/sessions/${id}/events?limit=1000`)) as {
    events: readonly { seq: number; at: number; event: { type: string; usage?: Tokens } }[]
  }
  const steps = events.filter(({ event }) => event.type === 'step.answered')
  expect(steps.length).toBeGreaterThan(1)
  const shown = stage.page.locator('.past .chat-header .meter')
  await stage.page.goto(`${stage.server().url}/s/${id}?at=3`)
  await stage.page.locator('.past[data-at="3"]').waitFor()
  expect(await shown.count()).toBe(0)
  for (const { seq, at } of steps) {
    // Steps of the same millisecond count as one.
    const spent = steps.filter((step) => step.at <= at).reduce((sum, { event }) => sum + costOf(event.usage), 0)
    await stage.page.goto(`${stage.server().url}/s/${id}?at=${seq}`)
    await stage.page.locator(`.past[data-at="${seq}"]`).waitFor()
    await expect.poll(() => shown.allInnerTexts(), { timeout: 15_000 }).toEqual([DOLLARS.format(spent)])
  }
})

describe('an editor at the door of ACP', () => {
  let editor: AcpClient
  let session: string
  const WAIT = { timeout: 15_000 }
  const update = (frame: Frame) => frame['method'] === 'session/update'

  beforeAll(async () => {
    editor = await connectAcp(stage.server().url ?? '', stage.server().localKey ?? '')
    session = String((await editor.request('session/new', { cwd: stage.folder, mcpServers: [] }))['sessionId'])
  })
  afterAll(() => editor.close())

  it('console 48: is listed by its door and its name, and gone after leaving', async () => {
    const other = await connectAcp(stage.server().url ?? '', stage.server().localKey ?? '')
    await other.request('session/load', { sessionId: session, cwd: stage.folder, mcpServers: [] })
    await stage.page.goto(`${stage.server().url}/s/${session}/doors`)
    const clients = stage.page.locator('.clients li[data-door=acp]')
    await expect.poll(() => clients.count(), WAIT).toBe(2)
    await expect.poll(() => clients.getByText('lag 0').count(), WAIT).toBe(2)
    other.close()
    await expect.poll(() => clients.count(), WAIT).toBe(1)
  })

  it('console 32: answers, and the card closes and says so', async () => {
    await stage.page.goto(`${stage.server().url}/s/${session}`)
    await stage.page.locator('.chat[data-phase=ready]').waitFor()
    const prompt = script(call('z1', 'Bash', { command: 'uname -zed' }), '---', 'say Zed allowed it')
    const ended = editor.begin('session/prompt', { sessionId: session, prompt: [{ type: 'text', text: prompt }] })
    await chat.card.waitFor()
    const asks = () => editor.frames.find(({ method }) => method === 'session/request_permission')
    await expect.poll(asks, WAIT).toBeDefined()
    const asked = asks()?.['params'] as { options: { optionId: string; kind: string }[] } | undefined
    const once = asked?.options.find(({ kind }) => kind === 'allow_once')
    editor.answer(asks()?.['id'], { outcome: { outcome: 'selected', optionId: once?.optionId } })
    await stage.page.getByText(/was answered elsewhere, through ACP: allowed/).waitFor()
    await chat.card.waitFor({ state: 'detached' })
    await chat.answered('Zed allowed it')
    expect((await ended)['result']).toMatchObject({ stopReason: 'end_turn' })
  })

  it('console 45: gets the frames that the cells of ACP show', async () => {
    const reader = await connectAcp(stage.server().url ?? '', stage.server().localKey ?? '')
    await reader.request('session/load', { sessionId: session, cwd: stage.folder, mcpServers: [] })
    const { rows } = (await ask(`/api/polylogue/sessions/${session}/doors?limit=1000`)) as DoorsPage
    const shown = rows.flatMap((row) => row.shown['acp'] ?? []).map(({ body }) => body)
    // What can be typed is no part of the log.
    const got = reader.frames.filter((frame) => update(frame) && !JSON.stringify(frame).includes('available_commands'))
    expect(got.length).toBeGreaterThan(3)
    const texts = got.map((frame) => JSON.stringify(frame['params']))
    const cells = shown.map((body) => JSON.stringify((body as Frame)['params'] ?? body))
    // In the same order.
    let at = -1
    for (const text of texts) {
      at = cells.indexOf(text, at + 1)
      expect([text, at]).not.toEqual([text, -1])
    }
    // What a client that loads the session no longer gets, the one that asked got: the approval and the state of the call.
    const live = editor.frames.map(({ params }) => JSON.stringify(params))
    expect(cells.filter((cell) => !texts.includes(cell) && !live.includes(cell))).toEqual([])
    reader.close()
  })
})

it('console 47: the copied curl command runs unchanged, given KEY', async () => {
  await stage.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await stage.page.goto(`${stage.server().url}/s/${id}/doors?seq=4`)
  await doorRow(4).waitFor()
  await stage.page.locator('.event-detail').getByRole('button', { name: 'curl' }).click()
  const line = String(await stage.page.evaluate('navigator.clipboard.readText()'))
  expect(line).toContain('$KEY')
  expect(line).not.toContain('sk-')
  const { stdout } = await promisify(execFile)('sh', ['-c', `${line} -s --max-time 10`], {
    env: { ...process.env, KEY: stage.server().localKey },
  })
  const { rows } = (await ask(`/api/polylogue/sessions/${id}/doors?after=3&limit=1000`)) as DoorsPage
  const [first] = rows.flatMap((row) => row.shown['aap/v3'] ?? [])
  expect(stdout).toContain(`id: ${first?.id}`)
  expect(stdout).toContain(JSON.stringify(first?.body))
})

it('console 43: no cell is cut, and where there is no head each cell names its door', async () => {
  const { page } = stage
  const more = chatOn(await stage.context.newPage())
  await more.page.goto(`${stage.server().url}/s/${id}`)
  await more.say(call('k1', 'Bash', { command: 'uname -doors' }))
  await more.card.getByRole('button', { name: /^Deny/ }).first().click()
  await more.rests()
  await more.page.close()
  for (const width of [1280, 768]) {
    await page.setViewportSize({ width, height: 1600 })
    await page.goto(`${stage.server().url}/s/${id}/doors`)
    const asked = page.locator('.doors-row').filter({ hasText: 'session/request_permission' })
    await asked.waitFor()
    const cut =
      '[...document.querySelectorAll(".doors-cell > *")].filter((it) => it.scrollWidth > it.clientWidth).length'
    expect(await page.evaluate(cut)).toBe(0)
  }
  await page.setViewportSize({ width: 360, height: 640 })
  await page.goto(`${stage.server().url}/s/${id}/doors`)
  const names = `[...(document.querySelector('.doors-row[data-seq]')?.querySelectorAll('.doors-cell') ?? [])]
    .map((cell) => getComputedStyle(cell, '::before').content)`
  await expect.poll(() => page.evaluate(names)).toEqual(['"AAP v3"', '"AAP v1"', '"ACP"', '"Blade"'])
  await page.setViewportSize({ width: 1280, height: 800 })
})

it('console 71: no page broke a rule of its own', () => {
  expect(withoutLosses(stage.complaints)).toEqual([])
})

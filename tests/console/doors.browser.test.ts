import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { type Chat, chatOn } from './chat.ts'
import { type Stage, openStage, withoutLosses } from './stage.ts'

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
  stage = await openStage()
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

it('console 44: AAP cells are the events that a client of AAP gets', async () => {
  const { rows } = (await ask(`/api/polylogue/sessions/${id}/doors?limit=1000`)) as DoorsPage
  const shown = rows.flatMap((row) => row.shown['aap/v3'] ?? [])
  // A stream ends with its turn.
  const ofTurn = shown.slice(0, shown.findIndex(({ name }) => name === 'turn_stop') + 1)
  const answer = await fetch(`${stage.server().url}/aap/v3/sessions/${id}/events?after=0`, {
    headers: { authorization: `Bearer ${stage.server().localKey}` },
  })
  const text = await answer.text()
  expect([...text.matchAll(/^id: (.+)$/gm)].map(([, found]) => found)).toEqual(ofTurn.map((message) => message.id))
  const bodies = [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data ?? '') as unknown)
  expect(bodies).toEqual(ofTurn.map(({ body }) => body))
})

it('console 48: who reads the session is listed with the door, and gone after leaving', async () => {
  await stage.page.goto(stage.server().url ?? '')
  await chat.begin('say Busy\nsleep 600000')
  await chat.answered('Busy')
  const busy = new URL(stage.page.url()).pathname.split('/')[2] ?? ''
  await stage.page.goto(`${stage.server().url}/s/${busy}/doors`)
  const clients = stage.page.locator('.clients li')
  await clients.filter({ hasText: 'Blade' }).first().waitFor()
  const stop = new AbortController()
  const answer = await fetch(`${stage.server().url}/aap/v3/sessions/${busy}/events?after=0`, {
    headers: { authorization: `Bearer ${stage.server().localKey}` },
    signal: stop.signal,
  })
  expect(answer.status).toBe(200)
  const aap = stage.page.locator('.clients li[data-door^=aap]')
  await aap.waitFor()
  stop.abort()
  await aap.waitFor({ state: 'detached' })
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

it('console 71: no page broke a rule of its own', () => {
  expect(withoutLosses(stage.complaints)).toEqual([])
})

import { type BladeOutput, SessionFold, type TurnProjection } from '@polylogue/client/blade'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { type Stage, openStage } from './stage.ts'

let stage: Stage
let id: string
beforeAll(async () => {
  stage = await openStage()
  const made = await post('/api/polylogue/sessions', { agent: 'scripted', preset: 'full-access' })
  id = ((await made.json()) as { sessionId: string }).sessionId
  await say(STEPS)
  await say('say The last words')
})
afterAll(() => stage.close())

/** About five events each. */
const STEPS = Array.from({ length: 10 }, (_, step) => {
  const calls = step === 4 ? [call('a', 'Agent', { description: 'look', prompt: 'say Inside' })] : []
  return script(`think Thought ${step}`, `say Step ${step}`, call(`c${step}`, 'echo', { msg: `m${step}` }), ...calls)
}).join('\n---\n')

const headers = () => ({
  authorization: `Bearer ${stage.server().localKey}`,
  'content-type': 'application/json',
})
const post = (path: string, body: object): Promise<Response> =>
  fetch(`${stage.server().url}${path}`, { method: 'POST', headers: headers(), body: JSON.stringify(body) })

async function ask<T>(path: string): Promise<T> {
  return (await fetch(`${stage.server().url}${path}`, { headers: headers() })).json() as Promise<T>
}

async function say(content: string): Promise<void> {
  const body = { stream: 'none', messages: [{ role: 'user', content }] }
  const answer = await post(`/aap/v3/sessions/${id}/turns`, body)
  expect(answer.status).toBe(200)
  await answer.arrayBuffer()
}

interface DoorsPage {
  readonly rows: readonly {
    readonly seq: number
    readonly event: { readonly type: string }
    readonly shown: { readonly blade?: readonly { readonly name: string; readonly body: unknown }[] }
  }[]
}

it('console 46: the cells of Blade fold to the chat, at the end of each step and of the session', async () => {
  const { rows } = await ask<DoorsPage>(`/api/polylogue/sessions/${id}/doors?limit=1000`)
  const fold = new SessionFold(id)
  let compared = 0
  for (const { seq, event, shown } of rows) {
    for (const { name, body } of shown.blade ?? []) fold.apply({ event: name, payload: body } as BladeOutput)
    if (event.type !== 'step.ended' && event.type !== 'turn.ended') continue
    const { rows: shownRows } = await ask<{ rows: readonly { readonly turn: TurnProjection }[] }>(
      `/api/polylogue/sessions/${id}/turns?at=${seq}&limit=100`,
    )
    // The words of a step that goes on are deltas, which are not in the log.
    const turns = shownRows.flatMap(({ turn }) => (turn.status === 'completed' ? [turn] : []))
    expect(turns.map(({ turn_id }) => fold.turn(turn_id))).toEqual(turns)
    compared++
  }
  expect(compared).toBeGreaterThanOrEqual(12)
  const messages = await ask<readonly object[]>(`/api/sessions/${id}/messages`)
  expect(fold.turns).toEqual(messages)
})

interface Recorded {
  readonly type: string
  readonly content?: string
  readonly inputId?: string
  readonly loopId?: string
  readonly stepId?: string
  readonly toolCallId?: string
  readonly blocks?: readonly { readonly type: string; readonly text?: string; readonly toolCallId?: string }[]
}

/** What the chat says after so many events, by their own words: each text, then the calls and whether they are settled. */
function told(events: readonly Recorded[]): { readonly said: readonly string[]; readonly calls: readonly string[] } {
  const admitted = new Map(
    events.flatMap(({ inputId, content }) => (content === undefined ? [] : [[inputId, content]])),
  )
  const root = new Set(events.flatMap(({ loopId, stepId }) => (loopId === 'root' ? [stepId] : [])))
  const settled = new Set(events.flatMap(({ type, toolCallId }) => (type === 'tool-call.settled' ? [toolCallId] : [])))
  const said: string[] = []
  const calls: string[] = []
  for (const { type, inputId, stepId, blocks = [] } of events) {
    if (type === 'turn.started') said.push(firstLine(admitted.get(inputId)))
    if (type !== 'step.answered' || !root.has(stepId)) continue
    said.push(...blocks.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : [])))
    const made = blocks.flatMap(({ type: kind, toolCallId }) => (kind === 'tool-call' ? [toolCallId] : []))
    calls.push(...made.map((one) => `${one} ${settled.has(one) ? 'done' : 'pending'}`))
  }
  return { said, calls }
}

/** Of a long message only the start is in the page. */
const firstLine = (text = ''): string => text.split('\n', 1)[0] ?? ''

const shownIn = async (page: Page) => ({
  said: (await page.locator('.said, .agent-row .row-body > .markdown').allInnerTexts()).map(firstLine),
  calls: await page.evaluate(
    "[...document.querySelectorAll('.transcript .row-body > .call, .transcript .row-body > * > .call')].map(({ dataset }) => dataset.call + ' ' + dataset.status)",
  ),
})

it('console 49: at each of 50 events the chat is the fold of the events up to it', async () => {
  const { events } = await ask<{ events: readonly { readonly event: Recorded }[] }>(
    `/api/polylogue/sessions/${id}/events?limit=1000`,
  )
  const log = events.map(({ event }) => event)
  expect(log.length).toBeGreaterThan(52)
  const { page } = stage
  // High enough for all rows, of which a lower window draws a part.
  await page.setViewportSize({ width: 1280, height: 4_000 })
  await page.goto(`${stage.server().url}/s/${id}?at=${log.length - 1}`)
  for (let at = log.length - 1; at > log.length - 51; at--) {
    await page.locator(`.past[data-at="${at}"]`).waitFor()
    await expect.poll(() => shownIn(page), { timeout: 15_000 }).toEqual(told(log.slice(0, at)))
    await page.keyboard.press('[')
  }
  expect(stage.complaints).toEqual([])
})

it('console 51: a slider that is dragged reads one state at a time, shows the last one, and the address follows once', async () => {
  const { page } = stage
  const { last } = await ask<{ last: number }>(`/api/polylogue/sessions/${id}/turns?limit=1`)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(`${stage.server().url}/s/${id}?at=${last - 1}`)
  await page
    .locator(`.past[data-at="${last - 1}"] .row`)
    .first()
    .waitFor()
  let [open, most] = [0, 0]
  const isState = (url: string): boolean => /\/turns\?.*at=/.test(url)
  page.on('request', (request) => isState(request.url()) && (most = Math.max(most, ++open)))
  page.on('requestfinished', (request) => isState(request.url()) && open--)
  await page.evaluate(COUNT_ADDRESSES)
  await page.evaluate(DRAG(last - 1, last - 40))
  await page.locator(`.past[data-at="${last - 40}"]`).waitFor()
  await expect.poll(() => new URL(page.url()).search).toBe(`?at=${last - 40}`)
  expect(most).toBe(1)
  expect(await page.evaluate('globalThis.addresses')).toBe(1)
})

const COUNT_ADDRESSES = `(() => {
  globalThis.addresses = 0
  const replace = history.replaceState.bind(history)
  history.replaceState = (...given) => (globalThis.addresses++, replace(...given))
})()`

/** Other tasks of the page run between two steps. */
const DRAG = (from: number, to: number): string => `(async () => {
  const slider = document.querySelector('.scrubber input[type=range]')
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
  for (let seq = ${from}; seq >= ${to}; seq--) {
    set.call(slider, String(seq))
    slider.dispatchEvent(new Event('input', { bubbles: true }))
    await new Promise((resume) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = resume
      port2.postMessage(0)
    })
  }
})()`

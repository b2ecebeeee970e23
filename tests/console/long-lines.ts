import { expect } from 'vitest'
import { type Chat, chatOn } from './chat.ts'
import type { Stage } from './stage.ts'

const PER_SECOND = 100

/** A model that says a word every 10 ms; a tenth of that is its own work. */
const steady = (seconds: number): string =>
  Array.from({ length: seconds * PER_SECOND }, (_, index) => `say word${index} \nsleep 9`).join('\n')

/** Tasks that blocked the page, by the browser's own count, and how long a typed character took to be drawn. */
export async function checkSteady(
  stage: Stage,
  {
    seconds,
    longestTaskMs,
    typingMs,
  }: { readonly seconds: number; readonly longestTaskMs: number; readonly typingMs: number },
): Promise<string> {
  const { page } = stage
  const chat = chatOn(page)
  await chat.begin('say Ready.')
  await chat.answered('Ready.')
  await chat.rests()
  // Not typed into the page: Chromium's insertion of so many lines takes minutes.
  const turn = await fetch(
    `${stage.server().url}/aap/v3/sessions/${new URL(page.url()).pathname.split('/')[2]}/turns`,
    {
      method: 'POST',
      headers: headersOf(stage),
      body: JSON.stringify({ stream: 'delta', messages: [{ role: 'user', content: steady(seconds) }] }),
    },
  )
  await chat.answered('word1')
  // The script is a long message, of which only the start is in the page until somebody wants to see it.
  expect(String(await page.locator('.said').last().textContent()).length).toBeLessThan(2_000)
  await page.evaluate(`(() => {
    globalThis.tasks = []
    globalThis.watch = new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map((task) => task.duration)))
    globalThis.watch.observe({ type: 'longtask' })
  })()`)
  const began = performance.now()
  const delays: number[] = []
  const last = `word${seconds * PER_SECOND - 1}`
  while ((await page.locator('.composer-stop').count()) > 0) {
    delays.push(Number(await page.evaluate(TYPE)))
    // The rest of the time belongs to the stream.
    await page.evaluate('new Promise((done) => setTimeout(done, 250))')
  }
  await chat.answered(last)
  const rate = Math.round((seconds * PER_SECOND * 1_000) / (performance.now() - began))
  const longest = Math.max(0, ...((await page.evaluate('globalThis.tasks')) as number[]))
  await page.evaluate('globalThis.watch.disconnect()')
  await turn.text()
  await chat.composer.fill('')
  expect(delays.length).toBeGreaterThan(0)
  expect([longest <= longestTaskMs, longest]).toEqual([true, longest])
  const slowest = Math.max(...delays)
  expect([slowest <= typingMs, slowest]).toEqual([true, slowest])
  return `${rate} deltas a second, longest task ${Math.round(longest)} ms, slowest key ${Math.round(slowest)} ms`
}

const TYPE = `new Promise((done) => {
  const field = document.querySelector('.composer textarea')
  const began = performance.now()
  field.focus()
  document.execCommand('insertText', false, 'x')
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)))
})`

/** Messages are in the page, marked as on their way, within `mostMs` of the Enter by the page's own clock. */
export async function checkSent(
  stage: Stage,
  { texts, mostMs }: { readonly texts: readonly string[]; readonly mostMs: number },
): Promise<string> {
  const chat = chatOn(stage.page)
  const times: number[] = []
  for (const text of texts) {
    await stage.page.evaluate(MEASURE_SENT(text))
    await chat.say(text)
    await expect.poll(() => stage.page.evaluate('typeof globalThis.shownAfter')).toBe('number')
    times.push(Number(await stage.page.evaluate('globalThis.shownAfter')))
  }
  const slowest = Math.max(...times)
  expect([slowest < mostMs, slowest]).toEqual([true, slowest])
  return `shown after ${Math.round(slowest)} ms at most`
}

const MEASURE_SENT = (text: string): string => `(() => {
  const text = ${JSON.stringify(text)}
  let began
  delete globalThis.shownAfter
  addEventListener('keydown', () => (began = performance.now()), { capture: true, once: true })
  new MutationObserver((_, observer) => {
    const sent = [...document.querySelectorAll('[data-outgoing=sending]')]
    if (began === undefined || !sent.some((one) => one.textContent.includes(text))) return
    globalThis.shownAfter = performance.now() - began
    observer.disconnect()
  }).observe(document.body, { childList: true, subtree: true })
})()`

/** Esc stops an answer and the call that it waits for, within `mostMs` by the page's own clock. What it said stays. */
export async function checkStop(stage: Stage, { mostMs }: { readonly mostMs: number }): Promise<string> {
  const { page } = stage
  const chat = chatOn(page)
  const waits = 'call w1 Bash {"command":"echo begun; sleep 600"}'
  await chat.begin(`think Thought about\nsay Partial text\n${waits}`)
  await chat.card.getByRole('button', { name: /^Allow/ }).click()
  await chat.call('w1').locator('.call-live').getByText('begun').waitFor()
  await page.locator('.composer-stop').waitFor()
  await page.evaluate(MEASURE_STOP)
  await page.keyboard.press('Escape')
  await chat.rests()
  const took = Number(await page.evaluate('globalThis.stoppedAfter'))
  expect([took <= mostMs, took]).toEqual([true, took])
  const look = async () => [...(await chat.rows()).slice(1), await chat.call('w1').getAttribute('data-status')]
  await expect.poll(look).toEqual(['Partial text', 'cancelled'])
  await page.reload()
  await expect.poll(look).toEqual(['Partial text', 'cancelled'])
  await chat.say('say Still here')
  await chat.answered('Still here')
  await chat.rests()
  return `stopped after ${Math.round(took)} ms`
}

const MEASURE_STOP = `(() => {
  let began
  addEventListener('keydown', () => (began = performance.now()), { capture: true, once: true })
  new MutationObserver((_, observer) => {
    if (began === undefined || document.querySelector('.composer-stop, [data-status=pending]') !== null) return
    globalThis.stoppedAfter = performance.now() - began
    observer.disconnect()
  }).observe(document.body, { childList: true, subtree: true, attributes: true })
})()`

const heapMb = async ({ page }: Chat): Promise<number> =>
  Number(await page.evaluate('(gc(), gc(), performance.memory.usedJSHeapSize / 1e6)'))

export async function checkHeap(
  chat: Chat,
  { answers, mostMb }: { readonly answers: number; readonly mostMb: number },
): Promise<string> {
  const long = Array.from({ length: 40 }, (_, index) =>
    [
      `say ## Part ${index}`,
      '',
      `say ${'Some words to read. '.repeat(20)}`,
      '',
      'say ```ts',
      `say const part${index} = '${'x'.repeat(60)}'`,
      'say ```',
      '',
    ].join('\n'),
  ).join('\n')
  await chat.begin(`${long}\nsay First done.`)
  await chat.answered('First done.')
  await chat.rests()
  const before = await heapMb(chat)
  for (let count = 0; count < answers; count++) {
    await chat.say(`${long}\nsay Answer ${count} done.`)
    await chat.answered(`Answer ${count} done.`)
    await chat.rests()
  }
  const grown = (await heapMb(chat)) - before
  expect([grown < mostMb, grown]).toEqual([true, grown])
  return `the heap grew by ${grown.toFixed(1)} MB`
}

/** Steps back through a log from its end and forth again, at places that the reader has not seen. */
export async function checkScrub(
  stage: Stage,
  { events, steps, stepMs }: { readonly events: number; readonly steps: number; readonly stepMs: number },
): Promise<string> {
  const { page } = stage
  const id = await fill(stage, events)
  const turnsAt = (query: string) => ask(stage, `/api/polylogue/sessions/${id}/turns?limit=1${query}`)
  const { last } = (await turnsAt('')) as { last: number }
  expect(last).toBeGreaterThanOrEqual(events)
  await page.goto(`${stage.server().url}/s/${id}?at=${last - 1}`)
  await page
    .locator(`.past[data-at="${last - 1}"] .row`)
    .first()
    .waitFor()
  // What the first screen still reads is not part of a step.
  await page.waitForLoadState('networkidle')
  const times: number[] = []
  for (const seq of placesIn(last, steps)) {
    const shown = (await page.evaluate(SCRUB(seq))) as {
      readonly ms: number
      readonly row: number
      readonly turn: string
    }
    times.push(shown.ms)
    const { total, rows } = (await turnsAt(`&at=${seq}`)) as {
      readonly total: number
      readonly rows: readonly { readonly turn: { readonly turn_id: string } }[]
    }
    expect({ row: shown.row, turn: shown.turn }).toEqual({ row: total - 1, turn: rows.at(-1)?.turn.turn_id })
  }
  const sorted = times.toSorted((a, b) => a - b)
  const worst = sorted.at(-1) ?? 0
  // All of them: whether one is slow or every one is, says where to look.
  expect([worst <= stepMs, ...times.map(Math.round)]).toEqual([true, ...times.map(Math.round)])
  return `slowest step ${Math.round(worst)} ms, middle ${Math.round(sorted[sorted.length >> 1] ?? 0)} ms`
}

function placesIn(last: number, steps: number): readonly number[] {
  const places = Array.from({ length: steps }, (_, step) => Math.floor((last * (step + 1)) / (steps + 2)) + 1)
  const isBack = (_: number, index: number): boolean => index % 2 === 0
  return [...places.filter(isBack).toReversed(), ...places.filter((place, index) => !isBack(place, index))]
}

/**
 * Sets the number field as a user does, and waits until the view rests. Returns the last row that is in view then, and when
 * it was drawn there.
 */
const SCRUB = (seq: number): string => `new Promise((done) => {
  const field = document.querySelector('.scrubber input[type=number]')
  const began = performance.now()
  let shown = { row: -1, turn: '', ms: 0 }
  const look = () => {
    const now = performance.now()
    const view = document.querySelector('.past .transcript').getBoundingClientRect()
    const isInView = (item) => Math.abs(item.getBoundingClientRect().bottom - view.bottom) < 100
    const item = [...document.querySelectorAll('.past[data-at="${seq}"] [data-item-index]')].findLast(isInView)
    const [row, turn] = [Number(item?.dataset.itemIndex ?? -1), item?.querySelector('[data-turn]')?.dataset.turn ?? '']
    if (row !== shown.row || turn !== shown.turn) shown = { row, turn, ms: now - began }
    if (shown.turn !== '' && now - began > shown.ms + 300) done(shown)
    else requestAnimationFrame(look)
  }
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, '${seq}')
  field.dispatchEvent(new Event('input', { bubbles: true }))
  requestAnimationFrame(look)
})`

const headersOf = (stage: Stage) => ({
  authorization: `Bearer ${stage.server().localKey}`,
  'content-type': 'application/json',
})

const ask = async (stage: Stage, path: string): Promise<unknown> =>
  (await fetch(`${stage.server().url}${path}`, { headers: headersOf(stage) })).json()

/** A session with at least so many recorded events: turns of many steps with several calls each. */
async function fill(stage: Stage, events: number): Promise<string> {
  const headers = headersOf(stage)
  const made = await fetch(`${stage.server().url}/api/polylogue/sessions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ agent: 'scripted', preset: 'full-access' }),
  })
  const { sessionId } = (await made.json()) as { sessionId: string }
  const calls = Array.from({ length: 10 }, (_, index) => index)
  for (let turn = 0, last = 0; last < events; turn++) {
    const steps = Array.from({ length: 20 }, (_, step) =>
      [`say Step ${step}`, ...calls.map((call) => `call c${turn}x${step}x${call} echo {"msg":"${step}"}`)].join('\n'),
    )
    const response = await fetch(`${stage.server().url}/aap/v3/sessions/${sessionId}/turns`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        stream: 'none',
        messages: [{ role: 'user', content: [...steps, 'say Over.'].join('\n---\n') }],
      }),
    })
    await response.arrayBuffer()
    expect(response.status).toBe(200)
    last = ((await ask(stage, `/api/polylogue/sessions/${sessionId}?messages=0`)) as { events: number }).events
  }
  return sessionId
}

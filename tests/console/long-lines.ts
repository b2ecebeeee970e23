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

/** Steps through a log from its end, at places that the reader has not seen. */
export async function checkScrub(
  stage: Stage,
  { events, steps, stepMs }: { readonly events: number; readonly steps: number; readonly stepMs: number },
): Promise<string> {
  const { page } = stage
  const id = await fill(stage, events)
  const { last } = (await ask(stage, `/api/polylogue/sessions/${id}/turns?limit=1`)) as { last: number }
  expect(last).toBeGreaterThanOrEqual(events)
  await page.goto(`${stage.server().url}/s/${id}?at=${last - 1}`)
  await page
    .locator(`.past[data-at="${last - 1}"] .row`)
    .first()
    .waitFor()
  const times: number[] = []
  for (let step = 1; step <= steps; step++) {
    const seq = Math.floor((last * (steps - step + 1)) / (steps + 2)) + 1
    times.push(Number(await page.evaluate(SCRUB(seq))))
  }
  const sorted = times.toSorted((a, b) => a - b)
  const worst = sorted.at(-1) ?? 0
  expect([worst <= stepMs, worst]).toEqual([true, worst])
  return `slowest step ${Math.round(worst)} ms`
}

/** Sets the number field as a user does, and waits until rows of that seq are drawn. */
const SCRUB = (seq: number): string => `new Promise((done) => {
  const field = document.querySelector('.scrubber input[type=number]')
  const began = performance.now()
  const look = () => {
    const isThere = document.querySelector('.past[data-at="${seq}"] .row:not(.row-skeleton)') !== null
    if (isThere) done(performance.now() - began)
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

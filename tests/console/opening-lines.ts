// How fast the first screen and a long session are there. `npm test` looks with room for a busy machine.
import { expect } from 'vitest'
import type { Stage } from './stage.ts'

/** By the page's own clock: from the start of the navigation to the first words on the screen. */
export async function checkPaint(
  stage: Stage,
  { times, mostMs }: { readonly times: number; readonly mostMs: number },
): Promise<string> {
  const paints: number[] = []
  for (let time = 0; time < times; time++) {
    const page = await stage.context.newPage()
    await page.goto(stage.server().url ?? '')
    await page.locator('.composer textarea').waitFor()
    const paint = await page.evaluate(
      "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity",
    )
    paints.push(Number(paint))
    await page.close()
  }
  const slowest = Math.max(...paints)
  expect([slowest < mostMs, slowest]).toEqual([true, slowest])
  return `slowest first paint ${Math.round(slowest)} ms`
}

interface Opening {
  readonly turns: number
  readonly mostMs: number
  readonly mostRows: number
}

/** From the start of the navigation until the last of so many turns is on the screen, with few of their rows in the page. */
export async function checkOpening(stage: Stage, { turns, mostMs, mostRows }: Opening): Promise<string> {
  const { page } = stage
  const messages = Array.from({ length: turns / 2 }, (_, index) => [
    { role: 'user', content: `Question ${index}` },
    { role: 'assistant', content: `Answer ${index}` },
  ]).flat()
  const answer = await fetch(`${stage.server().url}/aap/v3/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.server().localKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent: { name: 'scripted' }, messages }),
  })
  const { sessionId } = (await answer.json()) as { sessionId: string }
  const began = performance.now()
  await page.goto(`${stage.server().url}/s/${sessionId}`, { waitUntil: 'commit' })
  await page.evaluate(SHOWS(`Answer ${turns / 2 - 1}`))
  const took = performance.now() - began
  expect([took < mostMs, took]).toEqual([true, took])
  const rows = await page.locator('.row').count()
  expect([rows < mostRows, rows]).toEqual([true, rows])
  return `its end is shown after ${Math.round(took)} ms, with ${rows} rows in the page`
}

const SHOWS = (text: string): string => `new Promise((shown) => {
  const isThere = () => [...document.querySelectorAll('.agent-row')].some((row) => row.textContent.includes('${text}'))
  const look = () => (isThere() ? shown() : requestAnimationFrame(look))
  look()
})`

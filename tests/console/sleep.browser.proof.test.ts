// A machine that sleeps: the whole browser is stopped for ten minutes. `npm test` has a sample with a clock of its own.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { chatOn } from './chat.ts'
import { proven } from './prove.ts'
import { type Stage, openStage } from './stage.ts'

const SLEEP_MS = 10 * 60_000
const MOST_MS = 3_000
let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

it(
  'console 61: the right state within 3 s after a sleep of ten minutes',
  proven({ what: 'sleep of ten minutes', count: 1 }, sleepAndWake),
  SLEEP_MS + 300_000,
)

async function sleepAndWake(): Promise<string> {
  const chat = chatOn(stage.page)
  await chat.begin('say Before the sleep')
  await chat.answered('Before the sleep')
  await chat.rests()
  const id = new URL(stage.page.url()).pathname.split('/')[2]
  const browser = stage.context.browser()
  if (browser === null) throw new Error('the stage has a browser')
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
    for (const { id: pid } of processInfo) process.kill(pid, name)
  }
  signal('SIGSTOP')
  let woke: number
  try {
    const answer = await fetch(`${stage.server().url}/aap/v3/sessions/${id}/turns`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.server().localKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ stream: 'none', messages: [{ role: 'user', content: 'say While it slept' }] }),
    })
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
    await sleep(SLEEP_MS)
  } finally {
    woke = performance.now()
    signal('SIGCONT')
  }
  await chat.answered('While it slept')
  const took = performance.now() - woke
  expect([took <= MOST_MS, took]).toEqual([true, took])
  await chat.rests()
  expect(await stage.page.locator('.banner').count()).toBe(0)
  return `right after ${Math.round(took)} ms`
}

import { afterAll, beforeAll, expect, it } from 'vitest'
import { chatOn } from './chat.ts'
import { proven } from './prove.ts'
import { type Stage, openStage } from './stage.ts'

const SESSIONS = 5_000
let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

it(
  'console 38: a message from 5,000 sessions ago is found within 300 ms, in Chinese too',
  proven({ what: 'sessions after the one that a search finds', count: SESSIONS }, findOldest),
  900_000,
)

async function findOldest(): Promise<string> {
  const times: number[] = []
  const { page } = stage
  const chat = chatOn(page)
  await chat.begin('say The heliograph of Ravenna')
  await chat.answered('heliograph')
  await chat.begin('say 磁盘已满，部署失败')
  await chat.answered('磁盘已满')
  await chat.rests()
  const headers = { authorization: `Bearer ${stage.server().localKey}`, 'content-type': 'application/json' }
  const make = async (index: number): Promise<void> => {
    const messages = [
      { role: 'user', content: `Question ${index} about the weather` },
      { role: 'assistant', content: `Answer ${index}: it rains` },
    ]
    const body = JSON.stringify({ agent: { name: 'scripted' }, messages })
    const response = await fetch(`${stage.server().url}/aap/v3/sessions`, { method: 'POST', headers, body })
    expect(response.status).toBeLessThan(300)
    await response.arrayBuffer()
  }
  for (let from = 0; from < SESSIONS; from += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, index) => make(from + index)))
  }
  for (const words of ['heliograph', '磁盘已满']) {
    for (let round = 0; round < 5; round++) {
      const began = performance.now()
      const found = await fetch(`${stage.server().url}/api/polylogue/search?q=${encodeURIComponent(words)}`, {
        headers,
      })
      const { hits } = (await found.json()) as { hits: readonly { place?: { match: string } }[] }
      times.push(performance.now() - began)
      expect(hits.map(({ place }) => place?.match)).toEqual([words])
    }
    await page.goto(`${stage.server().url}/sessions?q=${encodeURIComponent(words)}`)
    await page.locator('.found-row mark').getByText(words).waitFor()
  }
  const sorted = times.toSorted((a, b) => a - b)
  const [median = Infinity, slowest = Infinity] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
  expect([median < 300, median]).toEqual([true, median])
  return `median ${Math.round(median)} ms, slowest of ${sorted.length} ${Math.round(slowest)} ms`
}

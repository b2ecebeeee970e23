import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { asSessionId } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { openSqliteStores } from './open-sqlite-stores.ts'
import { createReadPauses } from './read-pauses.ts'
import { sampleAppend } from './test-programs/sample-append.ts'

const MB = 1024 * 1024

/** How many of these pages go on in each turn of the event loop, at most. */
async function mostInTurn(sizes: readonly number[]): Promise<number> {
  const pause = createReadPauses()
  let [inTurn, most] = [0, 0]
  let isOver = false
  const turns = (async () => {
    while (!isOver) {
      await new Promise((resolve) => void setImmediate(resolve))
      most = Math.max(most, inTurn)
      inTurn = 0
    }
  })()
  await Promise.all(sizes.map(async (size) => (await pause(size), inTurn++)))
  isOver = true
  await turns
  return most
}

it('readers of large pages go on one after the other, each in a turn of the event loop', async () => {
  expect(await mostInTurn(Array.from({ length: 20 }, () => 4 * MB))).toBeLessThanOrEqual(2)
})

it('readers of moderate pages share a turn of the event loop up to a bound, and do not wait for large ones', async () => {
  expect(await mostInTurn(Array.from({ length: 40 }, () => 200 * 1024))).toBeLessThanOrEqual(6)
  const pause = createReadPauses()
  const order: string[] = []
  const large = Array.from({ length: 5 }, () => pause(4 * MB)?.then(() => order.push('large')))
  await Promise.all([...large, pause(100 * 1024)?.then(() => order.push('moderate'))])
  expect(order.indexOf('moderate')).toBeLessThanOrEqual(1)
})

it('a small page is not held up, also while others read large ones', async () => {
  const pause = createReadPauses()
  const large = pause(4 * MB)
  expect(pause(1_000)).toBeUndefined()
  await large
})

it('a long log that is read to its end lets others in between its pages', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'polylogue-pauses-'))
  const stores = await openSqliteStores({ file: join(directory, 'polylogue.db'), clock: createFakeClock() })
  onTestFinished(async () => {
    await stores.close()
    rmSync(directory, { recursive: true })
  })
  const sessionId = asSessionId('01900000-0000-7000-8000-000000000001')
  const first = sampleAppend(sessionId, 0)
  const text = { type: 'input.dropped', inputId: 'i', reason: 'x'.repeat(MB) } as never
  await stores.events.append({ ...first, events: [...first.events, ...Array.from({ length: 12 }, () => text)] })
  let turns = 0
  const count = (): void => {
    turns += 1
    if (turns > 0) setImmediate(count)
  }
  setImmediate(count)
  let pages = 0
  for (let after = 0; ;) {
    const page = await stores.events.readEvents(sessionId, after, 100)
    after = page.at(-1)?.seq ?? 0
    if (page.length === 0) break
    pages += 1
  }
  expect(pages).toBeGreaterThan(2)
  expect(turns).toBeGreaterThanOrEqual(pages)
  turns = -Infinity
})

import { asSessionId, type BusMessage, type LiveBus } from '@polylogue/engine'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createNotifyBus } from './notify-bus.ts'
import { startCuttingProxy } from './test-support/cutting-proxy.ts'
import { createTestDatabase, type TestDatabase } from './test-support/test-database.ts'

let database: TestDatabase
let buses: readonly LiveBus[] = []
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  await Promise.all(buses.map((bus) => bus.close()))
  await database.drop()
})

const clock = {
  now: () => Date.now(),
  setTimer(ms: number, run: () => void) {
    const timer = setTimeout(run, ms).unref()
    return { cancel: () => clearTimeout(timer) }
  },
}
const moved = (seq: number): BusMessage => ({ type: 'moved', sessionId: asSessionId('s'), seq })

it('nodes get what is sent to them or to all, also after their connections were cut', async () => {
  const got = new Map<string, string[]>()
  buses = ['1-aa', '2-bb', '3-cc'].map((nodeId) => {
    const bus = createNotifyBus({ url: database.url, nodeId, clock })
    const list: string[] = []
    got.set(nodeId, list)
    bus.onMessage((from, message) => void list.push(`${from} ${message.type === 'moved' ? message.seq : message.type}`))
    return bus
  })
  const [one] = buses
  await expect.poll(() => buses.every((bus) => bus.isUp), { timeout: 20_000 }).toBe(true)
  one!.send('all', moved(1))
  one!.send('2-bb', moved(2))
  await expect.poll(() => got.get('2-bb'), { timeout: 20_000 }).toEqual(['1-aa 1', '1-aa 2'])
  await expect.poll(() => got.get('3-cc'), { timeout: 20_000 }).toEqual(['1-aa 1'])

  let ups = 0
  for (const bus of buses) bus.onUp(() => void ups++)
  await database.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'polylogue bus' AND datname = current_database()",
  )
  await expect.poll(() => ups, { timeout: 20_000 }).toBe(3)
  one!.send('all', moved(3))
  await expect.poll(() => got.get('3-cc')?.at(-1), { timeout: 20_000 }).toBe('1-aa 3')
  expect(got.get('1-aa')).toEqual([])
})

it('a node connects again when the network swallows the answer to its first statement', async () => {
  const proxy = await startCuttingProxy(database.url)
  proxy.freezeAt('LISTEN')
  const bus = createNotifyBus({ url: proxy.url, nodeId: '4-dd', clock })
  await expect.poll(() => bus.isUp, { timeout: 30_000 }).toBe(true)
  await bus.close()
  proxy.close()
})

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { asSessionId, type BusMessage, type LiveBus } from '@polylogue/engine'
import { afterEach, expect, it } from 'vitest'
import { systemClock } from '../platform/system-clock.ts'
import { createRedisBus } from './redis-bus.ts'

const servers: ChildProcess[] = []
const buses: LiveBus[] = []
afterEach(async () => {
  await Promise.all(buses.splice(0).map((bus) => bus.close()))
  for (const server of servers.splice(0)) if (server.kill('SIGKILL')) await once(server, 'exit')
})

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}

function startRedis(port: number, flags: readonly string[] = []): ChildProcess {
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...flags],
    {
      stdio: 'ignore',
      cwd: '/tmp',
    },
  )
  servers.push(server)
  return server
}

const quiet = { clock: systemClock, report: () => undefined }
const moved = (seq: number): BusMessage => ({ type: 'moved', sessionId: asSessionId('s'), seq })

it('cluster 43: messages go by Redis, which may die and come back', async () => {
  const port = await findFreePort()
  const first = startRedis(port)
  const got: string[][] = []
  for (const nodeId of ['1-aa', '2-bb', '3-cc']) {
    const bus = createRedisBus({ ...quiet, url: `redis://127.0.0.1:${port}`, nodeId })
    const list: string[] = []
    got.push(list)
    bus.onMessage((from, message) => void list.push(`${from} ${message.type === 'moved' ? message.seq : message.type}`))
    buses.push(bus)
  }
  const areUp = (): boolean => buses.every((bus) => bus.isUp)
  await expect.poll(areUp, { timeout: 20_000 }).toBe(true)
  buses[0]!.send('all', moved(1))
  buses[0]!.send('2-bb', moved(2))
  await expect.poll(() => got, { timeout: 20_000 }).toEqual([[], ['1-aa 1', '1-aa 2'], ['1-aa 1']])

  let ups = 0
  for (const bus of buses) bus.onUp(() => void ups++)
  first.kill('SIGKILL')
  await expect.poll(() => buses.some((bus) => bus.isUp), { timeout: 20_000 }).toBe(false)
  buses[0]!.send('all', moved(3))
  startRedis(port)
  await expect.poll(areUp, { timeout: 20_000 }).toBe(true)
  expect(ups).toBeGreaterThanOrEqual(3)
  buses[0]!.send('all', moved(4))
  await expect.poll(() => got.map((list) => list.at(-1)), { timeout: 20_000 }).toEqual([undefined, '1-aa 4', '1-aa 4'])
  expect(got.flat()).not.toContain('1-aa 3')
})

it('cluster 43: a Redis that cannot be used is told once, with the reason, and once more when it works again', async () => {
  const port = await findFreePort()
  const told: (string | undefined)[] = []
  const report = (problem?: string): void => void told.push(problem)
  const bus = createRedisBus({ clock: systemClock, report, url: `redis://:wrong@127.0.0.1:${port}`, nodeId: '1-aa' })
  buses.push(bus)
  await expect.poll(() => told, { timeout: 20_000 }).toEqual([`connect ECONNREFUSED 127.0.0.1:${port}`])
  startRedis(port)
  await expect.poll(() => bus.isUp, { timeout: 20_000 }).toBe(true)
  expect(told).toEqual([`connect ECONNREFUSED 127.0.0.1:${port}`, undefined])

  const other = await findFreePort()
  startRedis(other, ['--requirepass', 'right'])
  const refused: (string | undefined)[] = []
  const url = `redis://:wrong@127.0.0.1:${other}`
  buses.push(
    createRedisBus({ clock: systemClock, report: (problem) => void refused.push(problem), url, nodeId: '2-bb' }),
  )
  await expect.poll(() => refused, { timeout: 20_000 }).toEqual([expect.stringMatching(/WRONGPASS|ECONNREFUSED/)])
})

it('cluster 43: a Redis that answers nothing counts as lost, until it answers again', async () => {
  const port = await findFreePort()
  const server = startRedis(port)
  const bus = createRedisBus({ ...quiet, url: `redis://127.0.0.1:${port}`, nodeId: '1-aa' })
  buses.push(bus)
  await expect.poll(() => bus.isUp, { timeout: 20_000 }).toBe(true)
  server.kill('SIGSTOP')
  bus.send('all', moved(1))
  await expect.poll(() => bus.isUp, { timeout: 20_000 }).toBe(false)
  server.kill('SIGCONT')
  await expect.poll(() => bus.isUp, { timeout: 20_000 }).toBe(true)
})

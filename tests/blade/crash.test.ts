// A server that is killed while clients watch, and starts again on the same data.
import { expect, it, onTestFinished } from 'vitest'
import type { BladeOutput } from '@polylogue/blade'
import { V3 } from '../support/aap-dialect.ts'
import { eventually } from '../support/eventually.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { connectLive } from './live-client.ts'
import { createRestClient } from './rest-client.ts'

const numbersIn = (told: readonly BladeOutput[]): readonly number[] =>
  told.flatMap(({ event, payload }) => (event === 'turn:patch' ? [payload.sequence] : []))

it('blade 148: a run continues after the server was killed, and no number of a patch is used again', async () => {
  const dir = await createTempDir()
  onTestFinished(() => dir.remove())
  const first = await startServerProcess({ dataDir: dir.path })
  onTestFinished(() => first.kill())
  const id = await createRestClient(first).create({ solution_id: 'scripted' })
  const before = await connectLive({ url: first.url, token: first.key })
  await before.client.subscribe(id)
  await before.client.send(id, 'say one two three\nsleep 600\nsay four\nsleep 600\nsay five\n---\nsay never')
  await before.until(() => numbersIn(before.told).length >= 1)
  await first.kill()

  const second = await startServerProcess({ dataDir: dir.path })
  onTestFinished(async () => void (await second.stop()))
  const rest = createRestClient(second)
  const after = await connectLive({ url: second.url, token: second.key })
  await after.client.subscribe(id)
  await eventually(
    async () => ((await rest.session(id)).status === 'completed' ? true : undefined),
    'the run has ended',
  )
  const turns = await rest.messages(id)
  expect(turns.map(({ role, status }) => `${role} ${status}`)).toEqual([
    'user completed',
    'assistant interrupted',
    'assistant completed',
  ])
  await after.client.send(id, 'say again')
  await after.ends(after.told.some(({ event }) => event === 'chat:end') ? 2 : 1)
  expect(Math.min(...numbersIn(after.told))).toBeGreaterThan(Math.max(...numbersIn(before.told)))
})

it('blade 147, 151: a client that reconnects after a kill receives its sessions without subscribing again', async () => {
  const dir = await createTempDir()
  onTestFinished(() => dir.remove())
  const first = await startServerProcess({ dataDir: dir.path })
  onTestFinished(() => first.kill())
  const rest = createRestClient(first)
  const [kept, left] = [await rest.create({ solution_id: 'scripted' }), await rest.create({ solution_id: 'scripted' })]
  const { client, told, until } = await connectLive({ url: first.url, token: first.key, resubscribes: false })
  const before = await connectLive({ url: first.url, token: first.key, resubscribes: false })
  for (const id of [kept, left]) expect(await client.subscribe(id)).toMatchObject({ status: 'ok' })
  expect(await client.unsubscribe(left)).toMatchObject({ status: 'ok' })
  await first.kill()

  const second = await startServerProcess({ dataDir: dir.path, flags: ['--port', new URL(first.url).port] })
  onTestFinished(async () => void (await second.stop()))
  if (!client.socket.connected) await new Promise<void>((resolve) => client.socket.once('connect', () => resolve()))
  for (const id of [left, kept]) {
    const content = 'say after the crash'
    await second.client(V3).turn(id, { messages: [{ role: 'user', content }] })
  }
  await until(() => told.some(({ event, payload }) => event === 'chat:end' && payload.session_id === kept))
  const heard = (all: readonly BladeOutput[], id: string): readonly string[] =>
    all.flatMap(({ event, payload }) => (payload.session_id === id && !event.startsWith('session:') ? [event] : []))
  expect(heard(told, kept)).toContain('turn:end')
  expect(heard(told, left)).toEqual([])
  expect([...heard(before.told, kept), ...heard(before.told, left)]).toEqual([])
})

it('blade 148: a question waits for its answer over a kill', async () => {
  const dir = await createTempDir()
  onTestFinished(() => dir.remove())
  const first = await startServerProcess({ dataDir: dir.path })
  onTestFinished(() => first.kill())
  const id = await createRestClient(first).create({ solution_id: 'scripted' })
  const before = await connectLive({ url: first.url, token: first.key })
  const questions = [{ question: 'Which?', options: [{ label: 'This' }, { label: 'That' }] }]
  await before.client.send(id, `call q1 AskUserQuestion ${JSON.stringify({ questions })}`)
  await before.ends(1)
  await first.kill()

  const second = await startServerProcess({ dataDir: dir.path })
  onTestFinished(async () => void (await second.stop()))
  const rest = createRestClient(second)
  expect((await rest.session(id)).status).toBe('waiting_for_input')
  const after = await connectLive({ url: second.url, token: second.key })
  expect(await after.choose(id, 'q1', 1)).toBe('ok')
  await after.ends(1)
  expect((await rest.messages(id)).at(-1)?.blocks[0]?.content).toContain('That')
})

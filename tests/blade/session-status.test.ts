// Where a session stands, as REST tells it while sockets drive it.
import { BladeClient, type BladeOutput } from '@polylogue/blade'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { type RestClient, createRestClient } from './rest-client.ts'

let server: TestServer
let rest: RestClient
let client: BladeClient

beforeAll(async () => {
  server = await startTestServer()
  await open()
})
afterAll(async () => {
  client.close()
  await server.stop()
})

async function open(): Promise<void> {
  rest = createRestClient(server)
  client = new BladeClient(io, { url: server.url, token: server.key })
  await client.connect()
}

function next(event: BladeOutput['event']): Promise<BladeOutput['payload']> {
  const { promise, resolve } = Promise.withResolvers<BladeOutput['payload']>()
  const stop = client.listen((output) => {
    if (output.event !== event) return
    stop()
    resolve(output.payload)
  })
  return promise
}

async function run(id: string, script: string): Promise<void> {
  const ended = next('chat:end')
  expect(await client.send(id, script)).toMatchObject({ status: 'ok' })
  await ended
}

const create = (): Promise<string> => rest.create({ solution_id: 'scripted' })
const statusOf = async (id: string): Promise<string> => (await rest.session(id)).status

const QUESTION = 'call q1 AskUserQuestion {"questions":[{"question":"Which?","options":[{"label":"a"},{"label":"b"}]}]}'

it('blade 14: is reported at every stage', async () => {
  const id = await create()
  expect(await statusOf(id)).toBe('created')
  const streaming = next('turn:patch')
  await client.send(id, 'say Hello\nsleep 60000')
  await streaming
  expect(await statusOf(id)).toBe('running')
  const ended = next('chat:end')
  await client.stop(id)
  expect(await ended).toMatchObject({ status: 'interrupted' })
  expect(await statusOf(id)).toBe('interrupted')
  await run(id, 'fail')
  expect(await statusOf(id)).toBe('failed')
  await run(id, QUESTION)
  expect(await statusOf(id)).toBe('waiting_for_input')
  const answered = next('chat:end')
  const answer = { tool_call_id: 'q1', selections: { 0: [1] }, custom: {} }
  expect(await client.answer(id, answer)).toMatchObject({ status: 'ok' })
  await answered
  expect(await statusOf(id)).toBe('completed')
})

it('blade 79: is the same after a restart, and so is everything that was said', async () => {
  const id = await create()
  await run(id, QUESTION)
  const before = await rest.messages(id)
  client.close()
  await server.restart()
  await open()
  expect(await statusOf(id)).toBe('waiting_for_input')
  expect(await rest.messages(id)).toEqual(before)
  const { body } = await rest.send<{ items: { id: string; status: string }[] }>('GET', '/sessions')
  expect(body.items).toContainEqual(expect.objectContaining({ id, status: 'waiting_for_input' }))
})

it('blade 23: a running session that is deleted ends for its watchers, and is gone', async () => {
  const id = await create()
  const streaming = next('turn:patch')
  await client.send(id, 'say Hello\nsleep 60000')
  await streaming
  const ended = next('chat:end')
  const deleted = rest.send('DELETE', `/sessions/${id}`)
  expect(await ended).toMatchObject({ session_id: id, status: 'interrupted' })
  expect((await deleted).body).toEqual({ deleted: true })
  expect((await rest.send('GET', `/sessions/${id}`)).status).toBe(404)
  expect(await client.send(id, 'say hi')).toMatchObject({ status: 'error', code: 'session_not_found' })
})

it('blade 106: is not compacted while it runs, and is when it rests', async () => {
  const id = await create()
  for (const word of ['one', 'two', 'three']) await run(id, `say ${`${word} `.repeat(1_500)}`)
  const streaming = next('turn:patch')
  await client.send(id, 'say Hello\nsleep 60000')
  await streaming
  expect((await rest.send('POST', `/sessions/${id}/compact`)).status).toBe(409)
  const ended = next('chat:end')
  await client.stop(id)
  await ended
  const { status, body } = await rest.send<{ turn: object }>('POST', `/sessions/${id}/compact`)
  expect([status, body]).toMatchObject([200, { turn: { kind: 'compaction', trigger: 'manual', status: 'completed' } }])
  expect((await rest.messages(id)).at(-1)).toEqual(body.turn)
})

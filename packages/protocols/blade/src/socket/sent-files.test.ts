import { hangs } from '@polylogue/testkit'
import { expect, it } from 'vitest'
import type { MessageContent } from '../wire.ts'
import { openTestDoor } from '../test-support/open-test-door.ts'

const file = (name: string, data = 'aGk='): Exclude<MessageContent, string>[number] => ({ type: 'file', name, data })

async function open() {
  const kept: string[] = []
  const door = await openTestDoor({
    attachFile: async ({ name }) => {
      kept.push(name)
      return { path: `uploads/${name}`, remove: async () => void kept.splice(kept.indexOf(name), 1) }
    },
  })
  return { kept, door, client: await door.client(), sessionId: await door.session() }
}

it('the file of a message that is sent again is kept once', async () => {
  const { kept, client, sessionId } = await open()
  const first = await client.say(sessionId, [file('r.txt')], { client_message_id: 'one' })
  expect(first).toMatchObject({ status: 'ok', queued: false })
  for (let time = 0; time < 2; time++) {
    expect(await client.send(sessionId, [file('r.txt')], { client_message_id: 'one' })).toEqual(first)
  }
  expect(kept).toEqual(['r.txt'])
  expect(await client.send(sessionId, [file('s.txt')], { client_message_id: 'one' })).toMatchObject({
    code: 'invalid_payload',
  })
  await client.say(sessionId, [file('r.txt')], { client_message_id: 'two' })
  expect(kept).toEqual(['r.txt', 'r.txt'])
  expect(client.of('chat:start')).toHaveLength(2)
})

it('a message with a file that is sent again while it is queued gets its position', async () => {
  const { door, kept, client, sessionId } = await open()
  door.model.push([hangs])
  await client.send(sessionId, 'first')
  const first = await client.send(sessionId, [file('r.txt')], { client_message_id: 'one' })
  expect(first).toMatchObject({ status: 'ok', queued: true, position: 1 })
  expect(await client.send(sessionId, [file('r.txt')], { client_message_id: 'one' })).toEqual(first)
  expect(kept).toEqual(['r.txt'])
})

it.each([
  ['an invalid image', { type: 'image_url', image_url: { url: 'file:///etc' } } as const],
  ['a file that is not base64', file('b.txt', '?')],
])('a message with %s in its second part leaves no file of its first', async (_what, second) => {
  const { kept, client, sessionId } = await open()
  expect(await client.send(sessionId, [file('a.txt'), second])).toMatchObject({ code: 'invalid_payload' })
  expect(kept).toEqual([])
})

it('a message that the engine refuses leaves no file', async () => {
  const { door, kept, client, sessionId } = await open()
  door.model.push([hangs])
  await client.send(sessionId, 'first')
  for (let index = 0; index < 8; index++) await client.send(sessionId, `later ${index}`)
  expect(await client.send(sessionId, [file('a.txt'), file('b.txt')])).toMatchObject({ code: 'queue_full' })
  expect(await client.send(sessionId, [file('a.txt')], { model: 'no/such' })).toMatchObject({ status: 'error' })
  expect(kept).toEqual([])
})

it('a message of which the second file cannot be kept leaves no first', async () => {
  const kept: string[] = []
  const door = await openTestDoor({
    attachFile: async ({ name }) => {
      if (name === 'b.txt') throw new Error('the disk is full')
      kept.push(name)
      return { path: `uploads/${name}`, remove: async () => void kept.pop() }
    },
  })
  const client = await door.client()
  expect(await client.send(await door.session(), [file('a.txt'), file('b.txt')])).toMatchObject({ status: 'error' })
  expect(kept).toEqual([])
})

it.each([
  ['a file', file('a.txt')],
  ['an image', { type: 'image_url', image_url: { url: 'https://example.com/a.png' } } as const],
])('%s beside an answer is refused, because an answer is a text', async (_what, part) => {
  const { kept, client, sessionId } = await open()
  const askuser_answer = { tool_call_id: 'c', selections: { '0': [0] }, custom: {} }
  expect(await client.send(sessionId, [{ type: 'text', text: 'so' }, part], { askuser_answer })).toEqual({
    status: 'error',
    code: 'invalid_payload',
    message: 'message.1: must be text beside askuser_answer; send images and files as a message of their own',
  })
  expect(kept).toEqual([])
})

it.each([
  ['is empty', '', 'file.data: must not be empty'],
  ['lacks its padding', 'aGk', 'file.data: expected base64 with its padding'],
  ['is not base64', '?', 'file.data: expected base64 with its padding'],
  ['is too large', Buffer.alloc(16 * 1024 * 1024 + 1).toString('base64'), 'file.data: must be at most 16 MiB'],
])('a file that %s is refused in words that say so', async (_what, data, message) => {
  const { client, sessionId } = await open()
  expect(await client.send(sessionId, [file('a.txt', data)])).toEqual({
    status: 'error',
    code: 'invalid_payload',
    message,
  })
})

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
      return `uploads/${name}`
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

it('a message with a file that is sent again while it waits in the queue is told its place', async () => {
  const { door, kept, client, sessionId } = await open()
  door.model.push([hangs])
  await client.send(sessionId, 'first')
  const first = await client.send(sessionId, [file('r.txt')], { client_message_id: 'one' })
  expect(first).toMatchObject({ status: 'ok', queued: true, position: 1 })
  expect(await client.send(sessionId, [file('r.txt')], { client_message_id: 'one' })).toEqual(first)
  expect(kept).toEqual(['r.txt'])
})

it.each([
  ['an image that is none', { type: 'image_url', image_url: { url: 'file:///etc' } } as const],
  ['a file that is not base64', file('b.txt', '?')],
])('a message with %s in its second part leaves no file of its first', async (_what, second) => {
  const { kept, client, sessionId } = await open()
  expect(await client.send(sessionId, [file('a.txt'), second])).toMatchObject({ code: 'invalid_payload' })
  expect(kept).toEqual([])
})

it.each([
  ['is empty', '', 'file.data: is empty'],
  ['lacks its padding', 'aGk', 'file.data: expected base64 with its padding'],
  ['is not base64', '?', 'file.data: expected base64 with its padding'],
  ['is too large', Buffer.alloc(16 * 1024 * 1024 + 1).toString('base64'), 'file.data: is larger than 16 MiB'],
])('a file that %s is refused in words that say so', async (_what, data, message) => {
  const { client, sessionId } = await open()
  expect(await client.send(sessionId, [file('a.txt', data)])).toEqual({
    status: 'error',
    code: 'invalid_payload',
    message,
  })
})

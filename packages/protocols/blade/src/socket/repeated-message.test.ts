import { hangs, says } from '@polylogue/testkit'
import { expect, it } from 'vitest'
import { openTestDoor } from '../test-support/open-test-door.ts'

/** A run that does not end, and a message behind it. */
async function queueBehind() {
  const door = await openTestDoor()
  door.model.push([says('half a '), hangs])
  const sessionId = await door.session()
  const client = await door.client({ isLean: false })
  await client.send(sessionId, 'go')
  await client.until('turn:patch')
  const sendAgain = () => client.send(sessionId, 'and then', { client_message_id: 'm1' })
  return { client, sessionId, sendAgain, ack: await sendAgain() }
}

it('a queued message that is sent again is still queued, and once', async () => {
  const { ack, sendAgain } = await queueBehind()
  expect(ack).toMatchObject({ status: 'ok', queued: true, position: 1 })
  expect(await sendAgain()).toEqual(ack)
})

it('a message that a stop took from the queue runs when it is sent again', async () => {
  const { client, sessionId, sendAgain, ack } = await queueBehind()
  await client.stop(sessionId)
  await client.until('chat:end')
  const again = await sendAgain()
  expect(again).toMatchObject({ status: 'ok', queued: false })
  expect(again).not.toMatchObject({ run_id: ack.status === 'ok' ? ack.run_id : '' })
  await client.until('chat:end', 2)
  expect(await sendAgain()).toEqual(again)
  expect(client.of('chat:start').at(-1)).toMatchObject({ run_id: again.status === 'ok' ? again.run_id : '' })
  const said = client.of('turn:end').filter(({ role }) => role === 'user')
  expect(said.map(({ blocks }) => blocks[0]?.content)).toEqual(['go', 'and then'])
})

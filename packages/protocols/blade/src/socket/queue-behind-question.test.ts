import { finishes, says } from '@polylogue/testkit'
import { expect, it } from 'vitest'
import { asks, createAskTool } from '../test-support/ask-tool.ts'
import { findBreaches } from '../test-support/find-breaches.ts'
import { openTestDoor } from '../test-support/open-test-door.ts'

it('a message that takes the place of a question runs after those that were queued before it', async () => {
  const door = await openTestDoor({ tools: [createAskTool()] })
  const more = Promise.withResolvers<void>()
  door.model.push([says('Well, '), () => more.promise, asks('q'), finishes('tool-calls')])
  const sessionId = await door.session()
  const client = await door.client({ isLean: false })
  await client.send(sessionId, 'go')
  await client.until('turn:patch')
  expect(await client.send(sessionId, 'A')).toMatchObject({ status: 'ok', queued: true, position: 1 })
  more.resolve()
  await client.until('chat:end')
  const ack = await client.send(sessionId, 'B')
  expect(ack).toMatchObject({ status: 'ok', queued: true, position: 1 })
  await client.until('chat:end', 3)
  const said = client.of('turn:end').filter(({ role }) => role === 'user')
  expect(said.map(({ blocks }) => blocks[0]?.content)).toEqual(['go', 'A', 'B'])
  expect(client.of('chat:start').at(-1)).toMatchObject({ run_id: ack.status === 'ok' ? ack.run_id : '' })
  expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
})

import { createFakeParts, hangs, loadAcpFrameChecker, says } from '@polylogue/testkit'
import { expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

it('a prompt that was dropped when its client left runs when the client reconnects and sends it again', async () => {
  const world = open()
  const numbered = { _meta: { 'polylogue/messageId': 'm1' } }
  world.model.push([says('half'), () => hangs()])
  const first = await world.connect()
  const sessionId = await first.newSession()
  const left = [first.say(sessionId, 'one'), first.say(sessionId, 'two', numbered)]
  await first.client.untilUpdate(({ content }) => content?.text === 'half')
  await first.client.leave()
  await Promise.all(left)
  await first.connection.closed
  const { client, say } = await world.connect()
  await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
  expect(await say(sessionId, 'two', numbered)).toMatchObject({ result: { stopReason: 'end_turn' } })
  expect(world.model.requests).toHaveLength(2)
})

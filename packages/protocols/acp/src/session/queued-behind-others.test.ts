import type { SessionId } from '@polylogue/engine'
import {
  calls,
  createFakeParts,
  createFakeTool,
  finishes,
  loadAcpFrameChecker,
  says,
  untilQuiet,
} from '@polylogue/testkit'
import { expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

it('a prompt that replaces a turn of another door is answered after the queued input of that door', async () => {
  const world = open({ tools: [createFakeTool('write', { effect: 'unsafe' })] })
  const { newSession, say } = await world.connect()
  const sessionId = (await newSession()) as SessionId
  const start = { type: 'start-turn', userId: world.user, sessionId, whenRunning: 'queue' } as const
  const more = Promise.withResolvers<void>()
  world.model.push(
    [() => more.promise, calls('c1', 'write'), finishes('tool-calls')],
    [says('one'), finishes()],
    [says('two'), finishes()],
  )
  await world.engine.execute({ ...start, content: 'go' })
  await world.engine.execute({ ...start, content: 'A' })
  more.resolve()
  await untilQuiet()
  expect(await say(sessionId, 'B')).toMatchObject({ result: { stopReason: 'end_turn' } })
  const history = await Array.fromAsync(await world.engine.streamHistory(world.user, sessionId, 'full'))
  const said = history.flatMap((message) => (message.role === 'user' ? [message.content] : []))
  expect(JSON.stringify(said)).toMatch(/go.*A.*B/)
})

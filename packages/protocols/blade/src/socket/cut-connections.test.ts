import fc from 'fast-check'
import { calls, createFakeTool, finishes, says, type FakeStep } from '@polylogue/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { openCuttingProxy, type CuttingProxy } from '../test-support/cutting-proxy.ts'
import type { TestClient } from '../test-support/open-door.ts'
import { openTestDoor, type TestDoor } from '../test-support/open-test-door.ts'

interface Scene {
  readonly door: TestDoor
  readonly proxy: CuttingProxy
}

async function open(): Promise<Scene> {
  const door = await openTestDoor({ tools: [createFakeTool('t')] })
  const proxy = await openCuttingProxy(door.port)
  onTestFinished(() => proxy.close())
  return { door, proxy }
}

/** A whole run, with its connection cut after so many bytes. Answers how many there were, and what is wrong. */
async function run({ door, proxy }: Scene, cutAfter: number, isLean: boolean) {
  proxy.cutAfter(Infinity)
  const sessionId = await door.session({ title: 'Mine' })
  const client = await door.client({ url: `http://127.0.0.1:${proxy.port}`, isLean })
  client.socket.io.reconnectionDelay(1)
  client.socket.io.randomizationFactor(0)
  await client.subscribe(sessionId)
  const before = proxy.passed
  proxy.cutAfter(cutAfter)
  door.model.push(
    [says('one '), untilHeard(client, sessionId), says('two'), calls(`c${before}`, 't'), finishes('tool-calls')],
    [says('three '), says('four'), finishes()],
  )
  const { user: userId } = door
  await door.engine.execute({ type: 'start-turn', userId, sessionId, content: 'go', whenRunning: 'refuse' })
  await client.until('chat:end')
  const expected = await door.messages(sessionId)
  // What comes after a repeated end of the run is part of the same answer.
  await client.unsubscribe('x')
  const { turns } = client.state(sessionId)
  client.close()
  return { bytes: proxy.passed - before, turns, expected }
}

/** Goes on when the client has the beginning, by a delta or as a turn that streams. */
const untilHeard =
  (client: TestClient, sessionId: string): FakeStep[number] =>
  () =>
    client.untilSo(() => client.state(sessionId).turns.some(({ blocks }) => blocks[0]?.content === 'one '))

it('a client that is cut off at any byte ends up with what the session says', async () => {
  const scene = await open()
  const { bytes, turns, expected } = await run(scene, Infinity, true)
  expect(turns).toEqual(expected)
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: bytes - 1 }), fc.boolean(), async (cutAfter, isLean) => {
      const cut = await run(scene, cutAfter, isLean)
      expect(cut.turns).toEqual(cut.expected)
    }),
    { numRuns: 25 },
  )
  expect(scene.proxy.isCut).toBe(true)
})

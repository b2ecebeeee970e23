import {
  createMemoryEventStore,
  createFakeTool,
  createProcessStore,
  createTestIds,
  calls,
  finishes,
  hangs,
  says,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { findBreaches } from '../test-support/find-breaches.ts'
import type { TestClient } from '../test-support/open-door.ts'
import { openTestDoor } from '../test-support/open-test-door.ts'
import { systemClock } from '../test-support/system-clock.ts'

/** Cuts the connection as a network does; the client comes back by itself. */
async function drop(client: TestClient): Promise<void> {
  const gone = new Promise((resolve) => client.socket.once('disconnect', resolve))
  client.socket.io.engine.close()
  await gone
}

async function cameBack(client: TestClient): Promise<void> {
  if (!client.socket.connected) await new Promise<void>((resolve) => client.socket.once('connect', resolve))
}

describe('a client that comes back', () => {
  it('blade 146: and subscribes in the middle of a run gets the turn so far and then the rest', async () => {
    const door = await openTestDoor()
    const goOn = Promise.withResolvers<void>()
    door.model.push([says('one '), () => goOn.promise, says('two'), finishes()])
    const sessionId = await door.session()
    const sender = await door.client()
    await sender.send(sessionId, 'go')
    await sender.until('turn:patch')
    const late = await door.client({ isLean: false })
    await late.subscribe(sessionId)
    await late.until('turn:start')
    expect(late.of('turn:start')).toMatchObject([{ status: 'streaming', blocks: [{ content: 'one ' }] }])
    goOn.resolve()
    await late.until('chat:end')
    expect(
      findBreaches([{ event: 'chat:start', payload: { session_id: sessionId, run_id: '' } }, ...late.told]),
    ).toEqual([])
    expect(late.state(sessionId).turns).toEqual((await door.messages(sessionId)).slice(1))
  })

  it('blade 147: within two minutes finds its rooms, what it missed, and each turn that streams', async () => {
    const door = await openTestDoor()
    const goOn = Promise.withResolvers<void>()
    const sessionId = await door.session({ title: 'Mine' })
    const client = await door.client()
    await client.subscribe(sessionId)
    door.model.push([says('first'), finishes()], [says('second '), () => goOn.promise, says('rest'), finishes()])
    await drop(client)
    const other = await door.client()
    await other.say(sessionId, 'one')
    await other.send(sessionId, 'two')
    await other.untilStory('add_content text', 2)
    await cameBack(client)
    await client.until('turn:start')
    expect(client.story()).toEqual([
      'chat:start',
      'turn:end user completed',
      'turn:end assistant completed',
      'chat:end completed/completed',
      'chat:start',
      'turn:end user completed',
      'turn:start assistant streaming',
    ])
    goOn.resolve()
    await client.until('chat:end', 2)
    expect(client.state(sessionId).turns).toEqual(await door.messages(sessionId))
    expect(client.state(sessionId).isDirty).toBe(false)
  })

  it('blade 147: in the middle of a run does not repeat its beginning', async () => {
    const door = await openTestDoor()
    const goOn = Promise.withResolvers<void>()
    door.model.push([says('one '), () => goOn.promise, says('two'), finishes()])
    const sessionId = await door.session({ title: 'Mine' })
    const client = await door.client()
    await client.send(sessionId, 'go')
    await client.until('turn:patch')
    // Its answer to the ping behind the beginning has arrived with the second of these.
    for (let times = 0; times < 2; times++) await client.unsubscribe('x')
    await drop(client)
    await cameBack(client)
    await client.until('turn:start', 3)
    goOn.resolve()
    await client.until('chat:end')
    const story = client.story()
    expect(story.filter((line) => line === 'chat:start')).toHaveLength(1)
    expect(story.filter((line) => line === 'turn:end user completed')).toHaveLength(1)
    expect(client.state(sessionId).turns).toEqual(await door.messages(sessionId))
  })

  it('blade 147: does not repeat turns that ended while it was connected', async () => {
    const door = await openTestDoor({ tools: [createFakeTool('t')] })
    const [end, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    door.model.push(
      [says('one'), () => end.promise, calls('c1', 't'), finishes('tool-calls')],
      [says('two '), () => goOn.promise, says('three'), finishes()],
    )
    const sessionId = await door.session({ title: 'Mine' })
    const client = await door.client()
    await client.send(sessionId, 'go')
    await client.until('turn:patch')
    // Its answers to earlier pings have arrived with the second of these.
    for (let times = 0; times < 2; times++) await client.unsubscribe('x')
    end.resolve()
    await client.untilStory('turn:end assistant completed', 1)
    for (let times = 0; times < 2; times++) await client.unsubscribe('x')
    await drop(client)
    await cameBack(client)
    goOn.resolve()
    await client.until('chat:end')
    expect(client.story().filter((line) => line === 'turn:end assistant completed')).toHaveLength(2)
    expect(client.state(sessionId).turns).toEqual(await door.messages(sessionId))
  })

  it('blade 147: with a key that was revoked in the meantime finds nothing', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const client = await door.client()
    await client.subscribe(sessionId)
    await drop(client)
    door.revoke('ann')
    const refused = new Promise<Error>((resolve) => client.socket.once('connect_error', resolve))
    expect((await refused).message).toBe('unauthorized')
  })

  it('to a run without watchers repeats no number', async () => {
    const door = await openTestDoor()
    const [leave, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    door.model.push([says('one '), () => leave.promise, says('two '), () => goOn.promise, says('three'), finishes()])
    const sessionId = await door.session()
    const client = await door.client()
    await client.send(sessionId, 'go')
    await client.until('turn:patch')
    await client.unsubscribe(sessionId)
    leave.resolve()
    await client.subscribe(sessionId)
    goOn.resolve()
    await client.until('chat:end')
    const numbers = client.of('turn:patch').map(({ sequence }) => sequence)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(client.state(sessionId).turns).toEqual(await door.messages(sessionId))
  })

  it('is not taken for another one of the same user', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const client = await door.client()
    await client.subscribe(sessionId)
    await drop(client)
    const other = await door.client()
    await door.engine.execute({
      type: 'start-turn',
      userId: door.user,
      sessionId,
      content: 'hi',
      whenRunning: 'refuse',
    })
    await cameBack(client)
    await client.until('chat:end')
    await other.unsubscribe(sessionId)
    expect(other.told.filter(({ event }) => event !== 'session:updated')).toEqual([])
  })
})

describe('a run', () => {
  it('blade 149: continues when everybody has left, and its history shows it', async () => {
    const door = await openTestDoor()
    const goOn = Promise.withResolvers<void>()
    door.model.push([says('one '), () => goOn.promise, says('two'), finishes()])
    const sessionId = await door.session()
    const client = await door.client()
    await client.send(sessionId, 'go')
    await client.until('turn:patch')
    client.close()
    goOn.resolve()
    const watcher = await door.client()
    await watcher.subscribe(sessionId)
    if ((await door.engine.readSession(door.user, sessionId)).status === 'running') await watcher.until('chat:end')
    const turns = await door.messages(sessionId)
    expect(turns[1]).toMatchObject({ status: 'completed', blocks: [{ content: 'one two' }] })
  })

  it('blade 148: whose server died continues to its end, and no number is used twice', async () => {
    const [memory, ids] = [createMemoryEventStore({ clock: systemClock }), createTestIds()]
    const dying = createProcessStore(memory)
    const first = await openTestDoor({ store: dying, isDoomed: true, ids, tools: [createFakeTool('t')] })
    first.model.push([says('x'), calls('a', 't'), finishes('tool-calls')], [says('half of '), hangs])
    const sessionId = await first.session({ title: 'Mine' })
    const client = await first.client()
    await client.send(sessionId, 'go')
    await client.untilStory('add_content text', 2)
    dying.die()
    const second = await openTestDoor({ store: memory, ids, tools: [createFakeTool('t')] })
    second.model.push([says('whole'), finishes()])
    await second.engine.start()
    const later = await second.client()
    await later.subscribe(sessionId)
    await later.say(sessionId, 'and?')
    const turns = await second.messages(sessionId)
    expect(turns.map(({ role, status }) => `${role} ${status}`)).toEqual([
      'user completed',
      'assistant completed',
      'assistant interrupted',
      'assistant completed',
      'user completed',
      'assistant completed',
    ])
    const numbersOf = (told: TestClient) => told.of('turn:patch').map(({ sequence }) => sequence)
    expect(Math.min(...numbersOf(later))).toBeGreaterThan(Math.max(...numbersOf(client)))
  })
})

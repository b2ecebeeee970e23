import { createMemoryEventStore, createMemoryMemoryStore, createTestIds, finishes, says } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { TestClient } from '../test-support/open-door.ts'
import { openTestDoor } from '../test-support/open-test-door.ts'
import { systemClock } from '../test-support/system-clock.ts'

const SECRET = 'tea is poison to me'

/** A shared session of somebody whose memory is recalled when tea is spoken of. */
async function openShared() {
  const memories = createMemoryMemoryStore({ clock: systemClock })
  const door = await openTestDoor({ memories })
  await memories.addMemory(door.user, { type: 'feedback', content: SECRET })
  const sessionId = await door.session({ title: 'Mine' })
  await door.engine.execute({
    type: 'configure-session',
    userId: door.user,
    sessionId,
    changes: { isShared: true },
  })
  return { door, sessionId }
}

const hears = (client: TestClient): boolean => JSON.stringify(client.told).includes(SECRET)

describe('a guest of a shared session', () => {
  it.each([true, false])('gets no memory of its owner, lean: %s', async (isLean) => {
    const { door, sessionId } = await openShared()
    door.model.push([says('one '), says('two'), finishes()])
    const [owner, guest] = [await door.client({ isLean }), await door.client({ token: 'ben', isLean })]
    await guest.subscribe(sessionId)
    await owner.say(sessionId, 'tea?')
    await guest.until('chat:end')
    expect(hears(owner)).toBe(true)
    expect(hears(guest)).toBe(false)
    expect(guest.story()).toEqual(owner.story().filter((line) => line !== 'memory:inject:done'))
    const ofOwner = await door.messages(sessionId)
    expect(owner.state(sessionId).turns).toEqual(ofOwner)
    expect(guest.state(sessionId).turns).toEqual(ofOwner.map((turn) => ({ ...turn, memory_refs: null })))
  })

  it('is not sent to clients that join or rejoin a run', async () => {
    const { door, sessionId } = await openShared()
    const [goOn, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    door.model.push(
      [says('one '), () => goOn.promise, says('two'), finishes()],
      [says('three '), () => end.promise, says('four'), finishes()],
    )
    const owner = await door.client()
    await owner.send(sessionId, 'tea?')
    await owner.until('turn:patch')
    const guest = await door.client({ token: 'ben', isLean: false })
    await guest.subscribe(sessionId)
    await guest.until('turn:start')
    expect(guest.of('turn:start')).toMatchObject([{ status: 'streaming', memory_refs: null }])
    const gone = new Promise((resolve) => guest.socket.once('disconnect', resolve))
    guest.socket.io.engine.close()
    await gone
    goOn.resolve()
    await owner.until('chat:end')
    await owner.send(sessionId, 'more tea?')
    await owner.untilStory('turn:start assistant streaming', 2)
    await guest.until('turn:start', 2)
    expect(guest.of('turn:end').map(({ role }) => role)).toContain('assistant')
    end.resolve()
    await guest.until('chat:end', 2)
    expect(hears(owner)).toBe(true)
    expect(hears(guest)).toBe(false)
    expect(guest.story()).not.toContain('memory:inject:done')
  })

  it('is refused for a request during the end of sharing', async () => {
    const [memory, ids] = [createMemoryEventStore({ clock: systemClock }), createTestIds()]
    const sessionId = await (await openTestDoor({ store: memory, ids })).session()
    const [reading, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isSlow = false
    // A server that has not read the session yet.
    const door = await openTestDoor({
      ids,
      store: {
        ...memory,
        async readEvents(...asked) {
          if (isSlow) {
            reading.resolve()
            await goOn.promise
          }
          return memory.readEvents(...asked)
        },
      },
    })
    const share = (isShared: boolean) =>
      door.engine.execute({ type: 'configure-session', userId: door.user, sessionId, changes: { isShared } })
    await share(true)
    const [owner, guest] = [await door.client(), await door.client({ token: 'ben' })]
    isSlow = true
    const ack = guest.subscribe(sessionId)
    await reading.promise
    await share(false)
    goOn.resolve()
    expect(await ack).toMatchObject({ status: 'error', code: 'session_not_found' })
    await owner.say(sessionId, 'alone')
    await guest.unsubscribe(sessionId)
    expect(guest.told).toEqual([])
  })
})

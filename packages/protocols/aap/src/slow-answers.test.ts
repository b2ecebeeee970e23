import {
  createFakeClock,
  createFakeModel,
  createMemoryEventStore,
  createTestIds,
  finishes,
  plainParts,
  plainSecretBox,
  says,
  testDigest,
} from '@polylogue/testkit'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { openDoor, type Door, type DoorOptions } from './test-support/open-door.ts'

function createParts() {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  return {
    clock,
    store,
    model: createFakeModel(),
    ids: createTestIds(),
    digest: testDigest,
    secretBox: plainSecretBox,
    ...plainParts,
  }
}

type TestDoor = Door<ReturnType<typeof createParts>>
let door: TestDoor

afterEach(() => door.close())

async function open(options: DoorOptions = {}, agent: object = {}): Promise<string> {
  door = await openDoor(createParts(), options)
  const created = await door.send('POST', '/v3/sessions', { body: { agent: { name: 'tester', ...agent } } })
  return `/v3/sessions/${(await created.json()).sessionId}`
}

const LIMITS = { depth: 64, keys: 250_000, stringLength: 8 * 1024 * 1024 }
const user = (content: string) => [{ role: 'user', content }]

/** A turn that waits for the gate, sent without a stream. */
function slowTurn(path: string, body: object = {}, method = 'POST') {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  door.model.push([() => (asked.resolve(), gate.promise), says('late'), finishes()])
  const reply = door.send(method, path, { body: { messages: user('hi'), ...body } })
  return { gate, reply, asked: asked.promise }
}

describe('a turn without a stream that takes long', () => {
  it('aap 67a: sends its headers after ten seconds, and white space from time to time', async () => {
    const session = await open()
    const { gate, reply, asked } = slowTurn(`${session}/turns`)
    await asked
    door.clock.advance(9_999)
    await setImmediate()
    door.clock.advance(1)
    const answer = await reply
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    await answer.until(' ')
    door.clock.advance(10_000)
    await answer.until('  ')
    gate.resolve()
    expect(await answer.json()).toEqual({
      stopReason: 'end_turn',
      messages: [{ role: 'assistant', content: [{ type: 'text', text: 'late' }] }],
    })
    expect(answer.wasCut).toBe(false)
  })

  it('does so when version 1 creates a session', async () => {
    await open()
    const { gate, reply, asked } = slowTurn('/v1/session', { agent: { name: 'tester' } }, 'PUT')
    await asked
    door.clock.advance(10_000)
    const answer = await reply
    expect(answer.status).toBe(201)
    gate.resolve()
    expect(await answer.json()).toMatchObject({ sessionId: expect.any(String), stopReason: 'end_turn' })
  })

  it('is one ordinary answer when it is ready before', async () => {
    const session = await open()
    const { gate, reply, asked } = slowTurn(`${session}/turns`)
    await asked
    door.clock.advance(9_000)
    gate.resolve()
    const answer = await reply
    expect(answer.headers['content-length']).toBeDefined()
    expect((await answer.text)[0]).toBe('{')
  })

  it('is cut when its key is revoked after the headers, so that no part is taken for the whole', async () => {
    const session = await open()
    const { reply, asked } = slowTurn(`${session}/turns`)
    await asked
    door.clock.advance(10_000)
    const answer = await reply
    door.revoke('ann')
    await answer.text
    expect(answer.wasCut).toBe(true)
  })

  it('still has a status of its own when it is refused before the headers', async () => {
    const session = await open()
    const { reply, asked } = slowTurn(`${session}/turns`)
    await asked
    door.revoke('ann')
    expect((await reply).status).toBe(401)
  })
})

describe('a history', () => {
  it('of many megabytes arrives whole, and is cut for a client that does not read it', async () => {
    await open({ limits: { bodyBytes: 64 * 1024 * 1024, json: LIMITS } })
    const seed = Array.from({ length: 24 }, (_, index) => ({
      role: 'user',
      content: `${index} 😀`.padEnd(1_000_000, '😀'),
    }))
    const created = await door.send('POST', '/v3/sessions', { body: { agent: { name: 'tester' }, messages: seed } })
    const path = `/v3/sessions/${(await created.json()).sessionId}/history?type=full`
    expect(await (await door.send('GET', path)).json()).toEqual({ history: { full: seed } })
    const sleeping = await door.send('GET', path)
    sleeping.pause()
    await setImmediate()
    for (let round = 0; round < 50 && !sleeping.wasCut; round++) {
      door.clock.advance(60_000)
      await setImmediate()
    }
    sleeping.resume()
    await sleeping.text
    expect(sleeping.wasCut).toBe(true)
  })
})

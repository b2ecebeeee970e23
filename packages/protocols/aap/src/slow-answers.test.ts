import { createFakeParts, finishes, says } from '@polylogue/testkit'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { user, usingDoor } from './test-support/using-door.ts'

const rig = usingDoor(createFakeParts)
const { open } = rig

const LIMITS = { depth: 64, keys: 250_000, stringLength: 8 * 1024 * 1024 }

/** A turn that waits for the gate, sent without a stream. */
function slowTurn(path: string, body: object = {}, method = 'POST') {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  rig.door.model.push([() => (asked.resolve(), gate.promise), says('late'), finishes()])
  const reply = rig.door.send(method, path, { body: { messages: user('hi'), ...body } })
  return { gate, reply, asked: asked.promise }
}

describe('a turn without a stream that takes long', () => {
  it('aap 67a: sends its headers after ten seconds, and white space from time to time', async () => {
    const session = await open()
    const { gate, reply, asked } = slowTurn(`${session}/turns`)
    await asked
    rig.door.clock.advance(9_999)
    await setImmediate()
    rig.door.clock.advance(1)
    const answer = await reply
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    await answer.until(' ')
    rig.door.clock.advance(10_000)
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
    rig.door.clock.advance(10_000)
    const answer = await reply
    expect(answer.status).toBe(201)
    gate.resolve()
    expect(await answer.json()).toMatchObject({ sessionId: expect.any(String), stopReason: 'end_turn' })
  })

  it('says when to ask again if the server stops meanwhile', async () => {
    const session = await open()
    const { reply, asked } = slowTurn(`${session}/turns`)
    await asked
    const stopped = rig.door.engine.stop(0)
    const answer = await reply
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '2' } })
    expect(await answer.json()).toEqual({
      error: 'The server is stopping; the turn goes on when it is back',
      code: 'shutting-down',
    })
    await stopped
  })

  it('is one ordinary answer when it is ready before', async () => {
    const session = await open()
    const { gate, reply, asked } = slowTurn(`${session}/turns`)
    await asked
    rig.door.clock.advance(9_000)
    gate.resolve()
    const answer = await reply
    expect(answer.headers['content-length']).toBeDefined()
    expect((await answer.text)[0]).toBe('{')
  })

  it('is cut when its key is revoked after the headers, so that no part is taken for the whole', async () => {
    const session = await open()
    const { reply, asked } = slowTurn(`${session}/turns`)
    await asked
    rig.door.clock.advance(10_000)
    const answer = await reply
    rig.door.revoke('ann')
    await answer.text
    expect(answer.wasCut).toBe(true)
  })

  it('still has a status of its own when it is refused before the headers', async () => {
    const session = await open()
    const { reply, asked } = slowTurn(`${session}/turns`)
    await asked
    rig.door.revoke('ann')
    expect((await reply).status).toBe(401)
  })
})

describe('a history', () => {
  it('of many megabytes arrives whole, and is cut for a client that does not read', async () => {
    await open({ limits: { bodyBytes: 64 * 1024 * 1024, json: LIMITS } })
    const seed = Array.from({ length: 24 }, (_, index) => ({
      role: 'user',
      content: `${index} 😀`.padEnd(1_000_000, '😀'),
    }))
    const created = await rig.door.send('POST', '/v3/sessions', { body: { agent: { name: 'tester' }, messages: seed } })
    const path = `/v3/sessions/${(await created.json()).sessionId}/history?type=full`
    expect(await (await rig.door.send('GET', path)).json()).toEqual({ history: { full: seed } })
    const sleeping = await rig.door.send('GET', path)
    sleeping.pause()
    await setImmediate()
    for (let round = 0; round < 50 && !sleeping.wasCut; round++) {
      rig.door.clock.advance(60_000)
      await setImmediate()
    }
    sleeping.resume()
    await sleeping.text
    expect(sleeping.wasCut).toBe(true)
  })
})

import { calls, createFakeParts, createFakeTool, finishes, says } from '@polylogue/testkit'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { HEARTBEAT_MS, type Reply } from './test-support/open-door.ts'
import { gist, parseFrames } from './test-support/parse-frames.ts'
import { user, usingDoor } from './test-support/using-door.ts'

const rig = usingDoor(createFakeParts)
const { open, play } = rig

const waits = () => new Promise<void>(() => undefined)
const trusted = { agent: { name: 'tester', tools: [{ name: 'echo', trust: true }] } }

describe('connections', () => {
  it('that break do not stop their turns, streaming or not', async () => {
    const session = await open()
    const gate = Promise.withResolvers<void>()
    rig.door.model.push([says('one'), () => gate.promise, says(' two'), finishes()])
    const reply = await play(session, 'go')
    await reply.until('one')
    reply.leave()
    await reply.text
    gate.resolve()
    const rest = await (await rig.door.send('GET', `${session}/events?after=0`)).frames()
    expect(gist(rest)).toEqual([
      { event: 'turn_start' },
      { event: 'text_delta', delta: 'one two' },
      { event: 'turn_stop', stopReason: 'end_turn' },
    ])
  })

  it('receive nothing more after their key is revoked', async () => {
    const session = await open()
    const gate = Promise.withResolvers<void>()
    rig.door.model.push([says('one'), () => gate.promise, says(' two'), finishes()])
    const streams: Reply[] = [await play(session, 'go')]
    for (let more = 0; more < 20; more++) streams.push(await rig.door.send('GET', `${session}/events?follow=1`))
    for (const stream of streams) await stream.until('one')
    const idle = await rig.door.send('GET', `${session}/events?after=999&follow=1`)
    rig.door.revoke('ann')
    for (const stream of [...streams, idle]) expect(await stream.text).not.toContain('turn_stop')
    gate.resolve()
  })

  it('that wait for an answer get 401 when their key is revoked', async () => {
    const session = await open()
    const begun = Promise.withResolvers<void>()
    rig.door.model.push([() => (begun.resolve(), waits())])
    const answer = rig.door.send('POST', `${session}/turns`, { body: { messages: user('go') } })
    await begun.promise
    rig.door.revoke('ann')
    expect((await answer).status).toBe(401)
  })

  it('take a burst larger than their buffer, if the client reads', async () => {
    const run = () => ({ content: 'burst '.repeat(20_000) })
    const session = await open(
      { tools: [createFakeTool('echo', { run })], limits: { outBufferBytes: 16 * 1024 } },
      trusted,
    )
    const names = Array.from({ length: 12 }, (_, index) => `c${index}`)
    rig.door.model.push([
      ...names.map((name) => calls(name, 'echo', { msg: 'x'.repeat(100_000) })),
      finishes('tool-calls'),
    ])
    const frames = await (await play(session, 'go')).frames()
    expect(frames.filter(({ event }) => event === 'tool_call')).toHaveLength(12)
    expect(frames.filter(({ event }) => event === 'tool_result')).toHaveLength(12)
    expect(gist(frames.slice(-2))).toEqual([
      { event: 'text_delta', delta: 'done' },
      { event: 'turn_stop', stopReason: 'end_turn' },
    ])
  })

  it('whose client stopped reading are cut, and its cursor gives the rest', async () => {
    const session = await open({ limits: { outBufferBytes: 64 * 1024 } })
    const gate = Promise.withResolvers<void>()
    const piece = 'word '.repeat(4_000)
    const tick = () => setImmediate(undefined)
    const flood = Array.from({ length: 1_000 }, () => [says(piece), tick]).flat()
    rig.door.model.push([says('first'), () => gate.promise, ...flood, finishes()])
    const reply = await play(session, 'go')
    await reply.until('first')
    reply.pause()
    gate.resolve()
    await (
      await rig.door.send('GET', `${session}/events?after=0&stream=message`)
    ).text
    // The system may still take a piece, which counts as progress.
    for (let round = 0; round < 50 && !reply.wasCut; round++) {
      rig.door.clock.advance(10_000)
      await setImmediate()
    }
    reply.resume()
    const text = await reply.text
    expect(reply.wasCut).toBe(true)
    const seen = parseFrames(text.slice(0, text.lastIndexOf('\n\n') + 2))
    const rest = await (await rig.door.send('GET', `${session}/events?after=${seen.at(-1)?.id}`)).frames()
    expect(rest.length).toBeGreaterThan(0)
    expect(gist([...seen, ...rest])).toEqual([
      { event: 'turn_start' },
      { event: 'text_delta', delta: `first${piece.repeat(1_000)}` },
      { event: 'turn_stop', stopReason: 'end_turn' },
    ])
  })

  it('carry a comment after each interval of silence', async () => {
    const session = await open()
    const gate = Promise.withResolvers<void>()
    rig.door.model.push([says('one'), () => gate.promise, finishes()])
    const reply = await play(session, 'go')
    await reply.until('one')
    rig.door.clock.advance(HEARTBEAT_MS)
    await reply.until(': ping\n\n')
    gate.resolve()
    expect((await reply.frames()).at(-1)?.event).toBe('turn_stop')
  })

  it('end without a turn_stop when the server stops, for the turn continues later', async () => {
    const session = await open()
    const begun = Promise.withResolvers<void>()
    rig.door.model.push([says('one'), () => (begun.resolve(), waits())])
    const reply = await play(session, 'go')
    await begun.promise
    await reply.until('one')
    await rig.door.engine.stop(0)
    expect((await reply.frames()).map(({ event }) => event)).toEqual(['turn_start', 'text_delta'])
  })

  it('stream undisturbed under a middleware that sets headers', async () => {
    const session = await open({
      around: async (c, next) => {
        c.res.headers.set('x-before', '1')
        await next()
        c.header('x-after', '1')
      },
    })
    const reply = await play(session, 'go')
    expect((await reply.frames()).map(({ event }) => event)).toEqual(['turn_start', 'text_delta', 'turn_stop'])
    expect(reply.wasCut).toBe(false)
  })
})

// An extension that old clients ignore: every event has an id, and from any id on the rest can be had.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AapClient } from '../support/aap-client.ts'
import { DIALECTS, V1, V3 } from '../support/aap-dialect.ts'
import { type AapSession, attachSession, openSession } from '../support/aap-session.ts'
import type { TurnMessage } from '../support/aap-wire.ts'
import { foldFrames } from '../support/fold-frames.ts'
import { inOneSpelling } from '../support/one-spelling.ts'
import { textOf } from '../support/played-turn.ts'
import { NEXT, call, script } from '../support/script.ts'
import type { Frame } from '../support/sse-parser.ts'
import type { SseStream } from '../support/sse-stream.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { gist } from './gist.ts'
import { expectRefusal } from './refusals.ts'

const UNKNOWN_ID = '0197f000-0000-7000-8000-000000000000'
const TRUSTED = ['echo', 'boom', 'slow'].map((name) => ({ name, trust: true }))
const TALK = script(
  ...['think first a  little thought', 'say some words 😀 here', 'say and more'],
  ...[call('t1', 'echo', { msg: 'one' }), call('t2', 'echo', { msg: 'two' }), call('t3', 'boom')],
  ...[NEXT, 'say in the middle', call('t4', 'slow', { ms: 1 }), call('t5', 'no_such_tool')],
  ...[NEXT, 'think at last', 'say the very end of it'],
)
const STREAMED = ['delta', 'message'] as const

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

async function resume(client: AapClient, id: string, after: string | undefined, more = ''): Promise<SseStream> {
  if (after === undefined) throw new Error('an event had no id')
  return client.events(id, `?after=${encodeURIComponent(after)}${more}`)
}

/** However often the connection is lost, what came before and what comes after make up the whole. */
async function expectWholeFromEveryCut(
  client: AapClient,
  id: string,
  frames: readonly Frame[],
  more = '',
): Promise<void> {
  for (const [index, { id: last }] of frames.slice(0, -1).entries()) {
    const rest = await (await resume(client, id, last, more)).finished()
    expect(gist([...frames.slice(0, index + 1), ...rest]), `cut after ${last}`).toEqual(gist(frames))
  }
}

describe.each(DIALECTS)('event ids at $base', (dialect) => {
  const client = (): AapClient => server.client(dialect)

  it('every event of a stream has an id, no two the same', async () => {
    const session = await openSession(client(), { tools: TRUSTED })
    for (const mode of STREAMED) {
      const ids = (await (await session.stream(mode, TALK)).finished()).map(({ id }) => id)
      for (const id of ids) expect(id).toMatch(/^\d+(\.\d+\.\d+)?$/)
      expect(new Set(ids).size).toBe(ids.length)
    }
  })

  it.each(STREAMED)('a finished stream in %s mode, cut at any event, continues exactly there', async (mode) => {
    const session = await openSession(client(), { tools: TRUSTED })
    const frames = await (await session.stream(mode, TALK)).finished()
    expect(frames.length).toBeGreaterThan(15)
    await expectWholeFromEveryCut(client(), session.id, frames, `&stream=${mode}`)
  })

  it('a failed and a cancelled answer, cut at any event, continue exactly there', async () => {
    const session = await openSession(client(), { tools: TRUSTED })
    const failed = script('think hm', 'say so far', call('f1', 'echo', { msg: 'x' }), NEXT, 'say and then', 'fail')
    const frames = await (await session.stream('delta', failed)).finished()
    expect(frames.at(-1)?.data).toMatchObject({ stopReason: 'error' })
    await expectWholeFromEveryCut(client(), session.id, frames)

    const stream = await session.stream('delta', script('say until now', 'sleep 30000', 'think never'))
    await stream.untilText('until now')
    await client().cancel(session.id)
    const cancelled = await stream.finished()
    expect(cancelled.at(-1)?.data).toMatchObject({ stopReason: 'error', cancelled: true })
    await expectWholeFromEveryCut(client(), session.id, cancelled)
  })

  it('each part of a turn that waits, cut at any event, continues to the next stop', async () => {
    const session = await openSession(client(), {
      tools: [{ name: 'echo', trust: true }, { name: 'slow' }, { name: 'boom' }],
      clientTools: [dialect.tool('weather', 'Tells the weather', { type: 'object' })],
    })
    const content = script(
      ...['say asking', call('w1', 'weather'), call('w2', 'slow', { ms: 1 }), call('w3', 'boom')],
      ...[call('w4', 'echo', { msg: 'at once' }), NEXT, 'say all answered'],
    )
    const parts: (string | TurnMessage[])[] = [
      content,
      [{ role: 'tool_permission', toolCallId: 'w2', granted: true }],
      [
        { role: 'tool', toolCallId: 'w1', content: 'sun' },
        { role: 'tool_permission', toolCallId: 'w3', granted: false, reason: 'no' },
      ],
    ]
    const streams: (readonly Frame[])[] = []
    for (const part of parts) streams.push(await (await session.stream('delta', part)).finished())
    expect(streams.map((frames) => frames.at(-1)?.data['stopReason'])).toEqual(['tool_use', 'tool_use', 'end_turn'])
    for (const frames of streams) await expectWholeFromEveryCut(client(), session.id, frames)
    for (const [index, frames] of streams.slice(1).entries()) {
      const next = await (await resume(client(), session.id, streams[index]?.at(-1)?.id)).finished()
      expect(gist(next)).toEqual(gist(frames))
    }
  })

  it('a running stream cut at any event continues exactly there', async () => {
    const slow = script(
      ...[
        'say one two',
        'sleep 60',
        'say three four',
        call('c1', 'echo', { msg: 'x' }),
        call('c2', 'slow', { ms: 60 }),
      ],
      ...[NEXT, 'think five', 'sleep 60', 'say six seven'],
    )
    const reference = await openSession(client(), { tools: TRUSTED })
    const whole = await (await reference.stream('delta', slow)).finished()
    const cuts = whole.slice(0, -1).map(async (_, index) => {
      const session = await openSession(client(), { tools: TRUSTED })
      const stream = await session.stream('delta', slow)
      let arrived = 0
      // Pieces of text may arrive as one, so there may be fewer frames than in the reference.
      await stream.until(({ event }) => arrived++ === index || event === 'turn_stop')
      const seen = stream.frames.slice(0, index + 1).filter(({ event }) => event !== 'turn_stop')
      stream.cut()
      const rest = await (await resume(client(), session.id, seen.at(-1)?.id)).finished()
      expect(gist([...seen, ...rest])).toEqual(gist(whole))
      expect(inOneSpelling(foldFrames([...seen, ...rest]))).toEqual(inOneSpelling((await session.talk()).slice(1)))
    })
    expect(cuts.length).toBeGreaterThan(10)
    await Promise.all(cuts)
  })

  it('an id that never was gets one resync and the step from its start', async () => {
    const session = await openSession(client(), { tools: TRUSTED })
    const frames = await (
      await session.stream('delta', script(call('r1', 'echo', { msg: 'x' }), NEXT, 'say the answer'))
    ).finished()
    const delta = frames.findLast(({ event }) => event === 'text_delta')
    const [seq = '', block = ''] = delta?.id?.split('.') ?? []
    const beyond = await (await resume(client(), session.id, `${seq}.${block}.9999`)).finished()
    expect(gist(beyond)).toEqual([
      { event: 'resync' },
      { event: 'text_delta', delta: 'the answer' },
      { event: 'turn_stop', stopReason: 'end_turn' },
    ])

    const ahead = await resume(client(), session.id, '999999')
    await ahead.until(({ event }) => event === 'resync')
    await session.turn('say later')
    expect(gist(await ahead.finished())).toEqual([
      { event: 'resync' },
      { event: 'turn_start' },
      { event: 'text_delta', delta: 'later' },
      { event: 'turn_stop', stopReason: 'end_turn' },
    ])
  })

  it('an unreadable cursor or mode is 400, an unknown session 404', async () => {
    const { id } = await openSession(client())
    const path = (of: string, query: string): string => `${dialect.session(of)}/events${query}`
    for (const after of ['x', '-1', '1.2', '1.2.3.4', '1e3', '%00']) {
      expectRefusal(await client().send('GET', path(id, `?after=${after}`)), 400)
    }
    expectRefusal(await client().send('GET', path(id, '?stream=none')), 400)
    expectRefusal(await client().send('GET', path(UNKNOWN_ID, '')), 404)
  })
})

describe('reading what happens in a session', () => {
  const client = (): AapClient => server.client(V3)

  it('continues from the first event of a session that version 1 created and ran', async () => {
    const stream = await server.client(V1).streamCreate({
      agent: { name: 'scripted', tools: TRUSTED },
      stream: 'delta',
      messages: [{ role: 'user', content: TALK }],
    })
    const frames = await stream.finished()
    await expectWholeFromEveryCut(server.client(V1), String(frames[0]?.data['sessionId']), frames)
  })

  it('gives a reader that was away during later turns its own turn up to its stop', async () => {
    const session = await openSession(client())
    const stream = await session.stream('delta', script('say before', 'sleep 50', 'say after'))
    const first = await stream.until(({ event }) => event === 'text_delta')
    stream.cut()
    const rest = await (await resume(client(), session.id, first.id)).finished()
    expect(gist(rest)).toEqual([
      { event: 'text_delta', delta: expect.stringMatching(/^\n?after$/) },
      { event: 'turn_stop', stopReason: 'end_turn' },
    ])
    await session.turn('say another turn')
    expect(gist(await (await resume(client(), session.id, first.id)).finished())).toEqual(gist(rest))
  })

  it('stays for the following turns with follow=1, from any client', async () => {
    const session = await openSession(client())
    const watching = await client().events(session.id, '?follow=1')
    await session.turn('say one')
    await attachSession(server.client(V1), session.id).turn('say two')
    await watching.untilCount('turn_stop', 2)
    expect(gist(watching.frames)).toEqual([
      { event: 'turn_start' },
      { event: 'text_delta', delta: 'one' },
      { event: 'turn_stop', stopReason: 'end_turn' },
      { event: 'turn_start' },
      { event: 'text_delta', delta: 'two' },
      { event: 'turn_stop', stopReason: 'end_turn' },
    ])
    await client().remove(session.id)
    await watching.finished()
  })

  it('gives many readers of one turn the same', async () => {
    const session = await openSession(client(), { tools: TRUSTED })
    const readers = await Promise.all(Array.from({ length: 10 }, () => client().events(session.id)))
    const own = await (await session.stream('delta', TALK)).finished()
    for (const reader of readers) expect(gist(await reader.finished())).toEqual(gist(own))
  })

  it('replays a long past whole to a reader that reads', async () => {
    const session = await openSession(client(), { tools: TRUSTED })
    const turns = 12
    for (let turn = 0; turn < turns; turn++) {
      await session.turn(call(`long${turn}`, 'echo', { msg: `${turn} `.padEnd(200_000, 'long ') }))
    }
    const past = await client().events(session.id, '?follow=1')
    await past.untilCount('turn_stop', turns)
    past.cut()
    expect(inOneSpelling(foldTurns(past.frames))).toEqual(
      inOneSpelling((await session.talk()).filter(({ role }) => role !== 'user')),
    )
  })

  it('continues after the server was restarted in the middle of an answer', async () => {
    const session: AapSession = await openSession(client())
    const stream = await session.stream('delta', script('say before the restart', 'sleep 1500', 'say and after'))
    const last = await stream.untilText('before the restart')
    await server.restart({}, { graceMs: 0 })
    const rest = await (await resume(client(), session.id, last.id)).finished()
    expect(rest.at(-1)?.data).toMatchObject({ event: 'turn_stop', stopReason: 'end_turn' })
    const talk = await client().history(session.id, 'full')
    expect(textOf(talk.slice(-1))).toBe('before the restart\nand after')
    expect(talk.filter(({ role }) => role === 'user')).toHaveLength(1)
  })
})

/** Messages of several turns; each begins its own assistant message. */
function foldTurns(frames: readonly Frame[]): ReturnType<typeof foldFrames> {
  const starts = frames.flatMap(({ event }, index) => (event === 'turn_start' ? [index] : []))
  return starts.flatMap((start, index) => foldFrames(frames.slice(start, starts[index + 1])))
}

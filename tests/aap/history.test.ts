import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AapClient } from '../support/aap-client.ts'
import { DIALECTS, V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import type { HistoryMessage } from '../support/aap-wire.ts'
import { blocksOf, inBlocks, pendingCalls, textOf } from '../support/played-turn.ts'
import { NEXT, call, script, shownMessages, shownText } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { expectRefusal } from './refusals.ts'

const UNKNOWN_ID = '0197f000-0000-7000-8000-000000000000'
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } }

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

function said(text: string): HistoryMessage {
  return { role: 'assistant', content: [{ type: 'text', text }] }
}

function called(toolCallId: string, name: string, input: Readonly<Record<string, unknown>>): HistoryMessage {
  return { role: 'assistant', content: [{ type: 'tool_use', toolCallId, name, input }] }
}

describe.each(DIALECTS)('history at $base', (dialect) => {
  const { mark } = dialect
  const client = (): AapClient => server.client(dialect)
  const clientTools = [dialect.tool('weather', 'Tells the weather', SCHEMA)]

  it(`aap 45${mark}: tool_permission never appears`, async () => {
    const session = await openSession(client(), { tools: [{ name: 'echo' }] })
    await session.turn(script(call('p1', 'echo', { msg: 'a' }), call('p2', 'echo', { msg: 'b' })))
    await session.turn([
      { role: 'tool_permission', toolCallId: 'p1', granted: true },
      { role: 'tool_permission', toolCallId: 'p2', granted: false, reason: 'no' },
    ])
    for (const type of ['full', 'compacted'] as const) {
      const history = await session.history(type)
      expect(history.map(({ role }) => role).slice(session.opening.length)).toEqual([
        'user',
        'assistant',
        'tool',
        'tool',
        'assistant',
      ])
      expect(JSON.stringify(history)).not.toContain('tool_permission')
    }
  })

  it(`aap 46${mark}: full history is the exact sequence of seed, incoming and generated over several turns`, async () => {
    const seed: readonly HistoryMessage[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'before' },
      { role: 'assistant', content: 'after' },
    ]
    const tools = [{ name: 'echo', trust: true }, { name: 'slow' }]
    const session = await openSession(client(), { seed, tools, clientTools })
    const withTools = script('say looking', call('e1', 'echo', { msg: 'one' }), NEXT, 'say found one')
    const waiting = script(
      call('w1', 'weather', { city: 'Oslo' }),
      call('s1', 'slow', { ms: 1 }),
      NEXT,
      'say both done',
    )
    await session.turn('say hello there')
    await session.turn(withTools)
    await session.turn(waiting)
    await session.turn([
      { role: 'tool', toolCallId: 'w1', content: [{ type: 'text', text: 'rain' }] },
      { role: 'tool_permission', toolCallId: 's1', granted: false },
    ])
    await session.turn([{ type: 'text', text: 'say the end' }])

    const history = await session.history()
    expect(history.slice(0, seed.length)).toEqual(seed)
    expect(inBlocks(await session.talk())).toEqual([
      { role: 'user', content: 'say hello there' },
      said('hello there'),
      { role: 'user', content: withTools },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'looking' },
          { type: 'tool_use', toolCallId: 'e1', name: 'echo', input: { msg: 'one' } },
        ],
      },
      { role: 'tool', toolCallId: 'e1', content: 'one' },
      said('found one'),
      { role: 'user', content: waiting },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', toolCallId: 'w1', name: 'weather', input: { city: 'Oslo' } },
          { type: 'tool_use', toolCallId: 's1', name: 'slow', input: { ms: 1 } },
        ],
      },
      { role: 'tool', toolCallId: 'w1', content: [{ type: 'text', text: 'rain' }] },
      { role: 'tool', toolCallId: 's1', content: 'Tool call denied' },
      said('both done'),
      { role: 'user', content: [{ type: 'text', text: 'say the end' }] },
      said('the end'),
    ])
  })

  it(`aap 47${mark}: after a tool_use stop the unresolved calls are visible in both histories at once`, async () => {
    const session = await openSession(client(), { tools: [{ name: 'echo' }], clientTools })
    const turn = await session.play(
      'delta',
      script('say wait', call('u1', 'echo', { msg: 'x' }), call('u2', 'weather', { city: 'Rome' })),
    )
    expect(turn.stopReason).toBe('tool_use')
    for (const type of ['full', 'compacted'] as const) {
      const history = await session.history(type)
      expect(history.at(-1)?.role).toBe('assistant')
      expect(pendingCalls(history)).toEqual([
        { toolCallId: 'u1', name: 'echo', input: { msg: 'x' } },
        { toolCallId: 'u2', name: 'weather', input: { city: 'Rome' } },
      ])
    }
  })

  it(`aap 48${mark}: every tool result appears exactly once in history and in the model's input`, async () => {
    const session = await openSession(client(), {
      tools: [{ name: 'echo', trust: true }, { name: 'boom' }],
      clientTools,
    })
    await session.turn(
      script(
        call('r1', 'echo', { msg: 'trusted' }),
        call('r2', 'weather', { city: 'Bonn' }),
        call('r3', 'boom'),
        NEXT,
        call('r4', 'echo', { msg: 'later' }),
        NEXT,
        'say done',
      ),
    )
    await session.turn([
      { role: 'tool', toolCallId: 'r2', content: 'sun' },
      { role: 'tool_permission', toolCallId: 'r3', granted: true },
    ])
    const reached = shownMessages((await session.turn('show messages')).messages)
    const ofModel = reached.filter(({ role }) => role === 'tool').map(({ toolCallId }) => toolCallId)
    const ofHistory = async (type: 'full' | 'compacted'): Promise<readonly string[]> =>
      (await session.history(type)).flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))
    expect(ofModel.toSorted()).toEqual(['r1', 'r2', 'r3', 'r4'])
    expect((await ofHistory('full')).toSorted()).toEqual(['r1', 'r2', 'r3', 'r4'])
    expect((await ofHistory('compacted')).toSorted()).toEqual(['r1', 'r2', 'r3', 'r4'])
  })

  it(`aap 49${mark}: thinking and text are stored in the order in which the model produced them`, async () => {
    const session = await openSession(client())
    await session.play('delta', script('think first a thought', 'say then a word', 'think one more', 'say the end'))
    await session.play('none', script('say a word first', 'think and a thought after'))
    const [one, two] = (await session.talk()).filter(({ role }) => role === 'assistant')
    expect(one && blocksOf(one.content)).toEqual([
      { type: 'thinking', thinking: 'first a thought' },
      { type: 'text', text: 'then a word' },
      { type: 'thinking', thinking: 'one more' },
      { type: 'text', text: 'the end' },
    ])
    expect(two && blocksOf(two.content)).toEqual([
      { type: 'text', text: 'a word first' },
      { type: 'thinking', thinking: 'and a thought after' },
    ])
  })

  it(`aap 50${mark}: compacted history never begins with an orphan tool message and keeps pending calls`, async () => {
    const seed: readonly HistoryMessage[] = [
      { role: 'user', content: 'look' },
      called('old', 'lookup', { q: 1 }),
      { role: 'tool', toolCallId: 'old', content: 'found' },
      { role: 'assistant', content: 'there' },
    ]
    const session = await openSession(client(), { seed, tools: [{ name: 'echo' }], clientTools })
    await session.turn(script('say more', call('n1', 'echo', { msg: 'x' }), call('n2', 'weather', { city: 'Kyiv' })))
    const compacted = await session.history('compacted')
    const results = compacted.flatMap((message, index) => (message.role === 'tool' ? [{ message, index }] : []))
    for (const { message, index } of results) {
      const callers = compacted.slice(0, index).filter(({ role }) => role === 'assistant')
      expect(JSON.stringify(callers)).toContain(`"${message.toolCallId}"`)
    }
    expect(compacted[0]?.role).not.toBe('tool')
    expect(pendingCalls(compacted).map(({ toolCallId }) => toolCallId)).toEqual(['n1', 'n2'])

    const orphaned = [
      { role: 'tool', toolCallId: 'nobody', content: 'orphan' },
      { role: 'user', content: 'say hi' },
    ]
    expectRefusal(await client().create({ agent: { name: 'scripted' }, messages: orphaned }), 400)
  })

  it(`aap 51${mark}: history survives a server restart`, async () => {
    const seed: readonly HistoryMessage[] = [{ role: 'system', content: 'Remember.' }]
    const session = await openSession(client(), { seed, tools: [{ name: 'echo', trust: true }] })
    await session.play('message', script('think hm', 'say one', call('k1', 'echo', { msg: 'kept' }), NEXT, 'say two'))
    await session.turn([
      { type: 'text', text: 'say three' },
      { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' },
    ])
    const [full, compacted] = [await session.history('full'), await session.history('compacted')]
    await server.restart()
    const again = attachSession(client(), session.id)
    expect(await again.history('full')).toEqual(full)
    expect(await again.history('compacted')).toEqual(compacted)
    expect(textOf((await again.turn('say four')).messages)).toBe('four')
    expect((await again.history('full')).slice(0, full.length)).toEqual(full)
  })
})

describe('the history endpoint of /aap/v3', () => {
  const client = (): AapClient => server.client(V3)
  const path = (id: string, query: string): string => `/sessions/${id}/history${query}`

  it('aap 42: a missing or bad type gives 400, even for an unknown session', async () => {
    const { id } = await openSession(client())
    for (const query of ['', '?type=', '?type=all', '?type=FULL', '?type=full%20', '?kind=full', '?type=toString']) {
      expectRefusal(await client().send('GET', path(id, query)), 400)
      expectRefusal(await client().send('GET', path(UNKNOWN_ID, query)), 400)
    }
  })

  it('aap 43: an unknown session and a type that the agent does not declare give 404', async () => {
    expectRefusal(await client().send('GET', path(UNKNOWN_ID, '?type=full')), 404)
    expectRefusal(await client().send('GET', path(UNKNOWN_ID, '?type=compacted')), 404)
    const { id } = await openSession(client(), { agent: 'scripted-min' })
    expectRefusal(await client().send('GET', path(id, '?type=full')), 404)
    expect((await client().send('GET', path(id, '?type=compacted'))).status).toBe(200)
  })

  it('aap 44: the body has exactly the requested key under history', async () => {
    const session = await openSession(client())
    await session.turn('say hi')
    for (const type of ['full', 'compacted']) {
      const { status, body } = await client().send<{ history: object }>('GET', path(session.id, `?type=${type}`))
      expect(status).toBe(200)
      expect(Object.keys(body)).toEqual(['history'])
      expect(body.history).toEqual({ [type]: expect.arrayContaining([{ role: 'user', content: 'say hi' }]) })
      expect(Object.keys(body.history)).toEqual([type])
    }
  })

  it('aap 48: a result that was posted reaches the model once and not again in the next turn', async () => {
    const session = await openSession(client(), { clientTools: [V3.tool('weather', 'Tells the weather', SCHEMA)] })
    await session.turn(script(call('q1', 'weather', { city: 'Lima' }), NEXT, 'show messages'))
    const during = shownMessages((await session.turn([{ role: 'tool', toolCallId: 'q1', content: 'fog' }])).messages)
    expect(during.filter(({ role }) => role === 'tool').map(shownText)).toEqual(['fog'])
    const after = shownMessages((await session.turn('show messages')).messages)
    expect(after.filter(({ role }) => role === 'tool').map(shownText)).toEqual(['fog'])
  })
})

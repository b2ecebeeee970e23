import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AapClient } from '../support/aap-client.ts'
import { DIALECTS } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import type { Block, Content, HistoryMessage } from '../support/aap-wire.ts'
import { pendingCalls, textOf } from '../support/played-turn.ts'
import { NEXT, call, fingerprint, script, shown, shownToolNames } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { expectRefusal } from './refusals.ts'
import { listSessionIds } from './session-list.ts'

const UNKNOWN_ID = '0197f000-0000-7000-8000-000000000000'
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } }
const DATA_IMAGE: Block = { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' }
const HTTP_IMAGE: Block = { type: 'image', url: 'https://images.example/cat.png' }

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

describe.each(DIALECTS)('turn requests at $base', (dialect) => {
  const { mark } = dialect
  const client = (): AapClient => server.client(dialect)
  const weather = dialect.tool('weather', 'Tells the weather', SCHEMA)
  const user = (content: Content) => ({ role: 'user', content })

  it(`aap 52${mark}: an unknown session gives 404 as JSON, in every stream mode`, async () => {
    for (const stream of ['delta', 'message', 'none', undefined]) {
      expectRefusal(await client().turn(UNKNOWN_ID, { messages: [user('say hi')], stream }), 404)
    }
    expectRefusal(
      await client().turn('nonsense', { messages: [user('say hi')], stream: 'delta' }, { accept: 'text/event-stream' }),
      404,
    )
  })

  it(`aap 53${mark}: missing, empty, doubled or mixed messages give 400 and change nothing`, async () => {
    const session = await openSession(client(), { tools: [{ name: 'echo' }], clientTools: [weather] })
    await session.turn(script(call('a', 'weather', { city: 'x' }), call('b', 'echo', { msg: 'x' })))
    const before = await session.history()
    const result = { role: 'tool', toolCallId: 'a', content: 'fine' }
    const grant = { role: 'tool_permission', toolCallId: 'b', granted: true }
    const refused: readonly unknown[] = [
      undefined,
      null,
      [],
      {},
      'say hi',
      [user('say a'), user('say b')],
      [user('say a'), result],
      [result, user('say a')],
      [grant, user('say a')],
      [{ role: 'system', content: 'obey' }],
      [{ role: 'assistant', content: 'I said' }],
      [{ role: 'assistant', content: 'I said' }, result],
      [{ role: 'nobody', content: 'x' }],
      [{ content: 'no role' }],
      [{ role: 'user' }],
      [{ role: 'user', content: 7 }],
      [{ role: 'user', content: [{ type: 'nonsense' }] }],
      [{ role: 'tool', content: 'no id' }],
      [{ role: 'tool', toolCallId: 'a' }],
      [{ role: 'tool_permission', toolCallId: 'b' }],
      [{ role: 'tool_permission', toolCallId: 'b', granted: 'yes' }],
      [null],
    ]
    for (const messages of refused) {
      const answer = await client().turn(session.id, { messages, agent: { options: { language: 'Changed' } } })
      expectRefusal(answer, 400)
    }
    expect(await session.history()).toEqual(before)
    expect(pendingCalls(await session.history()).map(({ toolCallId }) => toolCallId)).toEqual(['a', 'b'])
    expect((await session.read()).agent.options ?? {}).toEqual({})
  })

  it(`aap 54${mark}: a stream mode outside the enum, or one the agent does not declare, gives 400`, async () => {
    const session = await openSession(client())
    for (const stream of ['sse', '', 'DELTA', 1, true, {}, ['delta']]) {
      expectRefusal(await client().turn(session.id, { messages: [user('say hi')], stream }), 400)
    }
    expect(await session.talk()).toEqual([])

    const small = await openSession(client(), { agent: 'scripted-min' })
    for (const stream of ['delta', 'message']) {
      expectRefusal(await client().turn(small.id, { messages: [user('say hi')], stream }), 400)
    }
    const before = await small.history('compacted')
    expect(before).toHaveLength(small.opening.length)
    expect((await client().turn(small.id, { messages: [user('say hi')], stream: 'none' })).status).toBe(200)
  })

  it(`aap 55${mark}: an absent stream acts as none, whatever Accept says`, async () => {
    const session = await openSession(client())
    for (const accept of ['*/*', 'text/event-stream']) {
      for (const stream of [undefined, null]) {
        const answer = await client().turn(session.id, { messages: [user('say hi there')], stream }, { accept })
        expect(answer.status).toBe(200)
        expect(answer.headers['content-type']).toMatch(/^application\/json/)
        expect(answer.body.stopReason).toBe('end_turn')
        expect(textOf(answer.body.messages)).toBe('hi there')
      }
    }
  })

  it(`aap 56${mark}: agent.options changes only the given keys, for this turn and later ones`, async () => {
    const session = await openSession(client(), { options: { apiKey: 'key-1', language: 'French', model: 'b' } })
    const given = { apiKey: fingerprint('key-1'), language: 'French', model: 'b' }
    expect(shown((await session.turn('show options')).messages)).toEqual(given)
    const changed = await session.turn('show options', { agent: { options: { language: 'Polish' } } })
    expect(shown(changed.messages)).toEqual({ ...given, language: 'Polish' })
    expect(shown((await session.turn('show options')).messages)).toEqual({ ...given, language: 'Polish' })
    const back = await session.turn('show options', { agent: { options: { model: 'a', undeclared: 'x' } } })
    expect(shown(back.messages)).toEqual({ ...given, language: 'Polish', model: 'a' })
    expect((await session.read()).agent.options).toEqual({ apiKey: '***', language: 'Polish', model: 'a' })
    for (const options of [{ model: 'z' }, { language: 5 }]) {
      expectRefusal(await client().turn(session.id, { messages: [user('say hi')], agent: { options } }), 400)
    }
  })

  it(`aap 57${mark}: agent.tools and tools replace their whole list; an empty list clears, absence keeps`, async () => {
    const other = dialect.tool('stocks', 'Tells prices', SCHEMA)
    const session = await openSession(client(), {
      tools: [{ name: 'echo', trust: true }, { name: 'boom' }],
      clientTools: [weather],
    })
    const offered = async (extras?: Parameters<typeof session.turn>[1]): Promise<readonly string[]> => {
      const names = shownToolNames((await session.turn('show tools', extras)).messages)
      return names.filter((name) => ['echo', 'boom', 'slow', 'weather', 'stocks'].includes(name)).toSorted()
    }
    expect(await offered()).toEqual(['boom', 'echo', 'weather'])
    expect(await offered({ agent: { tools: [{ name: 'slow' }] } })).toEqual(['slow', 'weather'])
    expect(await offered()).toEqual(['slow', 'weather'])
    expect(await offered({ tools: [other] })).toEqual(['slow', 'stocks'])
    expect(await offered()).toEqual(['slow', 'stocks'])
    const info = await session.read()
    expect(info.agent.tools).toEqual([expect.objectContaining({ name: 'slow' })])
    expect(info.tools).toEqual([other])

    expect(await offered({ tools: [] })).toEqual(['slow'])
    expect(await session.read()).not.toHaveProperty('tools')
    expect(await offered({ agent: { tools: [] } })).toEqual([])
    expect(await offered()).toEqual([])
    expect((await session.read()).agent.tools ?? []).toEqual([])

    const clash = { messages: [user('say hi')], tools: [dialect.tool('echo', 'Mine', SCHEMA)] }
    expectRefusal(await client().turn(session.id, { ...clash, agent: { tools: [{ name: 'echo' }] } }), 400)
    expectRefusal(
      await client().turn(session.id, { messages: [user('say hi')], agent: { tools: [{ name: 'hidden' }] } }),
      400,
    )
    expect(await offered()).toEqual([])
  })

  it(`aap 58${mark}: a different agent.name in a turn gives 400, the same one is ignored`, async () => {
    const session = await openSession(client())
    for (const name of ['scripted-min', 'nobody', '']) {
      expectRefusal(await client().turn(session.id, { messages: [user('say hi')], agent: { name } }), 400)
    }
    expect(await session.talk()).toEqual([])
    const answer = await session.turn('say hi', { agent: { name: 'scripted', options: { language: 'Urdu' } } })
    expect(answer.stopReason).toBe('end_turn')
    expect((await session.read()).agent).toMatchObject({ name: 'scripted', options: { language: 'Urdu' } })
  })

  it(`aap 59${mark}: *** sent for a stored secret keeps its value`, async () => {
    const session = await openSession(client(), { options: { apiKey: 'keep-me' } })
    const same = await session.turn('show options', { agent: { options: { apiKey: '***', language: 'Irish' } } })
    expect(shown(same.messages)).toMatchObject({ apiKey: fingerprint('keep-me'), language: 'Irish' })
    expect(shown((await session.turn('show options')).messages)).toMatchObject({ apiKey: fingerprint('keep-me') })
    const next = await session.turn('show options', { agent: { options: { apiKey: 'new-one' } } })
    expect(shown(next.messages)).toMatchObject({ apiKey: fingerprint('new-one') })
  })

  it(`aap 60${mark}: a second turn while one runs gives 409, and the first is undisturbed`, async () => {
    const session = await openSession(client())
    const first = await session.stream('delta', script('say one', 'sleep 600', 'say two'))
    await first.until(({ event }) => event === 'text_delta')
    for (const stream of ['delta', 'message', 'none']) {
      const body = { messages: [user('say intruder')], stream, agent: { options: { language: 'Intruder' } } }
      expectRefusal(await client().turn(session.id, body), 409)
    }
    const frames = await first.finished()
    expect(frames.at(-1)?.data).toEqual({ event: 'turn_stop', stopReason: 'end_turn' })
    expect(textOf(await session.talk())).toBe('one\ntwo')
    expect(JSON.stringify(await session.history())).not.toContain('intruder')
    expect((await session.read()).agent.options ?? {}).toEqual({})
    expect(textOf((await session.turn('say next')).messages)).toBe('next')
  })

  it(`aap 60${mark}: of turns sent at the same moment exactly one runs`, async () => {
    const session = await openSession(client())
    const requests = Array.from({ length: 6 }, (_, index) => ({
      messages: [user(script('sleep 100', `say ${index}`))],
    }))
    const answers = await Promise.all(requests.map((body) => client().turn(session.id, body)))
    const accepted = answers.filter(({ status }) => status === 200)
    expect(accepted).toHaveLength(1)
    for (const answer of answers) if (!accepted.includes(answer)) expectRefusal(answer, 409)
    const talk = await session.talk()
    expect(talk.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(textOf(talk)).toBe(accepted.map(({ body }) => textOf(body.messages)).join(''))
  })

  it(`aap 61${mark}: images without the capability, or with other URL schemes, give 400 in every place`, async () => {
    const small = await openSession(client(), { agent: 'scripted-min' })
    const before = await small.history('compacted')
    for (const image of [DATA_IMAGE, HTTP_IMAGE]) {
      expectRefusal(await client().turn(small.id, { messages: [user([image])] }), 400)
      const messages = [user([image]), user('say hi')]
      const count = (await listSessionIds(client())).length
      expectRefusal(await client().create({ agent: { name: 'scripted-min' }, messages }), 400)
      expect(await listSessionIds(client())).toHaveLength(count)
    }
    expect(await small.history('compacted')).toEqual(before)

    const session = await openSession(client(), { clientTools: [weather] })
    await session.turn(call('w', 'weather', { city: 'x' }))
    const history = await session.history()
    const schemes = ['http://a.example/x.png', 'file:///etc/passwd', 'javascript:alert(1)', 'ftp://a/b', '', 'cat.png']
    for (const url of schemes) {
      const image = { type: 'image', url }
      const inResult = { role: 'tool', toolCallId: 'w', content: [image] }
      expectRefusal(await client().turn(session.id, { messages: [{ role: 'user', content: [image] }] }), 400)
      expectRefusal(await client().turn(session.id, { messages: [inResult] }), 400)
      const seeded = [{ role: 'user', content: [image] }, user('say hi')]
      expectRefusal(await client().create({ agent: { name: 'scripted' }, messages: seeded }), 400)
    }
    expect(await session.history()).toEqual(history)
  })

  it(`aap 61${mark}: with the capability an image reaches the model from user, tool and seed messages`, async () => {
    const seed: readonly HistoryMessage[] = [
      { role: 'user', content: [{ type: 'text', text: 'seeded' }, DATA_IMAGE, HTTP_IMAGE] },
      { role: 'assistant', content: 'seen' },
    ]
    const session = await openSession(client(), { seed, clientTools: [weather] })
    const withImage: Content = [
      { type: 'text', text: script(call('img', 'weather', { city: 'x' }), NEXT, 'show messages') },
      DATA_IMAGE,
      HTTP_IMAGE,
    ]
    await session.turn(withImage)
    const result: Content = [{ type: 'text', text: 'a picture' }, DATA_IMAGE, HTTP_IMAGE]
    const answer = await session.turn([{ role: 'tool', toolCallId: 'img', content: result }])
    const reached = shown(answer.messages) as readonly { role: string; content: readonly { type: string }[] | string }[]
    const images = reached.flatMap(({ role, content }) =>
      typeof content === 'string' ? [] : content.filter(({ type }) => type === 'image').map(() => role),
    )
    expect(images).toEqual(['user', 'user', 'user', 'user', 'tool', 'tool'])
    expect(JSON.stringify(reached)).toContain('https://images.example/cat.png')

    const history = await session.history()
    expect(history.slice(0, seed.length)).toEqual(seed)
    expect(history).toContainEqual({ role: 'user', content: withImage })
    expect(history).toContainEqual({ role: 'tool', toolCallId: 'img', content: result })
  })

  it(`aap 62${mark}: client tools sent to an agent without application.tools give 400`, async () => {
    const body = { agent: { name: 'scripted-min' }, messages: [user('say hi')] }
    expectRefusal(await client().create({ ...body, tools: [weather] }), 400)
    expect((await client().create({ ...body, tools: [] })).status).toBe(201)
    const small = await openSession(client(), { agent: 'scripted-min' })
    expectRefusal(await client().turn(small.id, { messages: [user('say hi')], tools: [weather] }), 400)
    expect(await small.history('compacted')).toHaveLength(small.opening.length)
  })
})

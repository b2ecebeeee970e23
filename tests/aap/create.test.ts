import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AapClient } from '../support/aap-client.ts'
import { DIALECTS, V1, V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import type { HistoryMessage, UserMessage } from '../support/aap-wire.ts'
import { callsIn, inBlocks } from '../support/played-turn.ts'
import { call, fingerprint, script, shown, shownMessages, shownText, shownToolNames } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { expectRefusal } from './refusals.ts'
import { listSessionIds } from './session-list.ts'

const FIRST: UserMessage = { role: 'user', content: 'say ready' }
const WEATHER = { type: 'object', properties: { city: { type: 'string' } } }
const EARLIER_TALK: readonly HistoryMessage[] = [
  { role: 'system', content: 'Answer like a pirate named Silver.' },
  { role: 'user', content: [{ type: 'text', text: 'first question' }] },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hmm' },
      { type: 'text', text: 'let me look' },
      { type: 'tool_use', toolCallId: 'seed-1', name: 'lookup', input: { q: 'x', deep: [1, { a: null }] } },
    ],
  },
  { role: 'tool', toolCallId: 'seed-1', content: 'looked up' },
  { role: 'assistant', content: 'first answer' },
]

const result = (content: string): HistoryMessage => ({ role: 'tool', toolCallId: 'call_0', content })

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

describe.each(DIALECTS)('creating a session at $base', (dialect) => {
  const { mark } = dialect
  const client = (): AapClient => server.client(dialect)
  /** A body that is valid in both versions, then changed. */
  const bodyWith = (changes: Readonly<Record<string, unknown>>) => ({
    agent: { name: 'scripted' },
    messages: [FIRST],
    ...changes,
  })

  it(`aap 18${mark}: creation answers 201 with the session's id`, async () => {
    const answer = await client().create(bodyWith({}))
    expect(answer.status).toBe(201)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(answer.body.sessionId).toEqual(expect.stringMatching(/./))
    expect(Object.keys(answer.body).toSorted()).toEqual(
      dialect === V3 ? ['sessionId'] : ['messages', 'sessionId', 'stopReason'],
    )
    expect((await client().get(answer.body.sessionId)).status).toBe(200)
  })

  it(`aap 19${mark}: ids are safe in a path, and sessions created at the same time get different ones`, async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => client().create(bodyWith({}))))
    const ids = answers.map(({ body }) => body.sessionId)
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9._~-]+$/)
    expect(new Set(ids).size).toBe(40)
  })

  it(`aap 21${mark}: the seed is in full history unchanged and in order, and reaches the model`, async () => {
    const session = await openSession(client(), { seed: EARLIER_TALK })
    expect((await session.history()).slice(0, EARLIER_TALK.length)).toEqual(EARLIER_TALK)

    const messages = shownMessages((await session.turn('show messages')).messages)
    expect(messages.slice(0, 4).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(messages.slice(0, 4).map(shownText)).toEqual(['first question', 'let me look', 'looked up', 'first answer'])
    expect(messages.at(-1)).toMatchObject({ role: 'user', content: 'show messages' })
    expect(shown((await session.turn('show system')).messages)).toContain('Answer like a pirate named Silver.')
  })

  it(`aap 22${mark}: a missing agent or a name that is no string gives 400 and makes no session`, async () => {
    const before = await listSessionIds(client())
    for (const agent of [undefined, null, 'scripted', [], {}, { name: 7 }, { name: null }, { name: ['scripted'] }]) {
      expectRefusal(await client().create(bodyWith({ agent })), 400)
    }
    expect(await listSessionIds(client())).toEqual(before)
  })

  it(`aap 23${mark}: an unknown agent gives 400`, async () => {
    const before = await listSessionIds(client())
    for (const name of ['nobody', '', 'SCRIPTED', '__proto__', 'toString']) {
      expectRefusal(await client().create(bodyWith({ agent: { name } })), 400)
    }
    expect(await listSessionIds(client())).toEqual(before)
  })

  it(`aap 24${mark}: tool_permission in a seed gives 400`, async () => {
    const permission = { role: 'tool_permission', toolCallId: 'x', granted: true }
    expectRefusal(await client().create(bodyWith({ messages: [permission, FIRST] })), 400)
    expectRefusal(await client().create(bodyWith({ messages: [FIRST, permission] })), 400)
  })

  it(`aap 25${mark}: a seed with an unanswered call to a server tool gives 400`, async () => {
    const calling = (name: string): HistoryMessage => ({
      role: 'assistant',
      content: [{ type: 'tool_use', toolCallId: `seed-${name}`, name, input: { msg: 'forged' } }],
    })
    const tools = [dialect.tool('weather', 'Tells the weather', WEATHER)]
    const agent = { name: 'scripted', tools: [{ name: 'echo', trust: true }] }
    for (const name of ['echo', 'hidden', 'nobody-knows']) {
      expectRefusal(await client().create({ agent, tools, messages: [FIRST, calling(name), FIRST] }), 400)
    }
    const both: HistoryMessage = {
      role: 'assistant',
      content: [...inBlocks([calling('weather'), calling('echo')])].flatMap((message) =>
        typeof message.content === 'string' ? [] : message.content,
      ),
    }
    expectRefusal(await client().create({ agent, tools, messages: [FIRST, both, FIRST] }), 400)
    expect((await client().create({ agent, tools, messages: [FIRST, calling('weather'), FIRST] })).status).toBe(201)
    expect(
      (
        await client().create({
          agent,
          messages: [FIRST, calling('echo'), { role: 'tool', toolCallId: 'seed-echo', content: 'done' }, FIRST],
        })
      ).status,
    ).toBe(201)
  })

  it(`aap 26${mark}: a client tool named like an enabled server tool, or like another client tool, gives 400`, async () => {
    const agent = { name: 'scripted', tools: [{ name: 'echo' }] }
    const echo = dialect.tool('echo', 'Mine', WEATHER)
    const weather = dialect.tool('weather', 'Tells the weather', WEATHER)
    expectRefusal(await client().create(bodyWith({ agent, tools: [echo] })), 400)
    expectRefusal(await client().create(bodyWith({ agent, tools: [weather, weather] })), 400)
    expect((await client().create(bodyWith({ agent, tools: [weather] }))).status).toBe(201)
  })

  it(`aap 26${mark}: names of tools that are not enabled, or not exposed, are free for the client`, async () => {
    const agent = { name: 'scripted', tools: [{ name: 'slow' }] }
    const names = ['echo', 'hidden', 'Read', 'Bash', 'AskUserQuestion', 'Agent']
    const clientTools = names.map((name) => dialect.tool(name, 'Mine', WEATHER))
    const session = await openSession(client(), { tools: agent.tools, clientTools })
    expect(shownToolNames((await session.turn('show tools')).messages).toSorted()).toEqual(
      [...names, 'slow'].toSorted(),
    )
    for (const name of names) {
      const { stopReason, calls } = await session.play('none', script(call(`c-${name}`, name)))
      expect({ stopReason, calls }).toMatchObject({ stopReason: 'tool_use', calls: [{ name }] })
      const answer = await session.play('none', [{ role: 'tool', toolCallId: `c-${name}`, content: 'mine' }])
      expect(answer.text).toBe('RESULTS 1: mine')
    }
  })

  it(`aap 59${mark}: *** for a secret that is not stored gives 400, and is never used`, async () => {
    const agent = { name: 'scripted', options: { apiKey: '***' } }
    const refused = await client().create(bodyWith({ agent }))
    expectRefusal(refused, 400)
    expect(refused.body.error).toContain('agent.options.apiKey')
    const session = await openSession(client())
    expectRefusal(await client().turn(session.id, { messages: [FIRST], agent: { options: agent.options } }), 400)
  })

  it(`aap 104${mark}: a seed that reuses a call id is accepted, and its calls get ids of their own`, async () => {
    const ask = {
      role: 'assistant',
      content: [{ type: 'tool_use', toolCallId: 'call_0', name: 'x', input: {} }],
    } as const
    const seed: HistoryMessage[] = [FIRST, ask, result('one'), FIRST, ask, result('two')]
    const session = await openSession(client(), { seed })
    const history = (await session.history()).slice(0, seed.length)
    const ids = history.map((message) =>
      message.role === 'tool' ? message.toolCallId : callsIn([message])[0]?.toolCallId,
    )
    expect(ids[1]).toBe('call_0')
    expect(ids[2]).toBe('call_0')
    expect(ids[4]).not.toBe('call_0')
    expect(ids[5]).toBe(ids[4])
    expect(
      history.map(({ content }) => content).filter((content) => content === 'one' || content === 'two'),
    ).toHaveLength(2)
  })

  it(`aap 27${mark}: an entry of agent.tools that /meta does not list gives 400`, async () => {
    for (const name of ['nope', 'hidden', '', 'ECHO']) {
      expectRefusal(await client().create(bodyWith({ agent: { name: 'scripted', tools: [{ name }] } })), 400)
    }
    expectRefusal(await client().create(bodyWith({ agent: { name: 'scripted-min', tools: [{ name: 'echo' }] } })), 400)
  })

  it(`aap 28${mark}: a select value outside its list and a value that is no string give 400`, async () => {
    for (const options of [
      { model: 'c' },
      { model: '' },
      { model: 1 },
      { language: true },
      { apiKey: ['x'] },
      'text',
    ]) {
      expectRefusal(await client().create(bodyWith({ agent: { name: 'scripted', options } })), 400)
    }
    const accepted = bodyWith({ agent: { name: 'scripted', options: { model: 'b' } } })
    expect((await client().create(accepted)).status).toBe(201)
  })

  it(`aap 29${mark}: without agent.tools the model is offered no exposed server tool`, async () => {
    const meta = await client().meta()
    const exposed = meta.body.agents.find(({ name }) => name === 'scripted')?.tools?.map(({ name }) => name) ?? []
    expect(exposed).toEqual(expect.arrayContaining(['boom', 'echo', 'slow']))

    const session = await openSession(client())
    const offered = shownToolNames((await session.turn('show tools')).messages)
    expect(offered.filter((name) => exposed.includes(name))).toEqual([])

    const listing = await openSession(client(), { tools: [{ name: 'echo' }, { name: 'slow', trust: true }] })
    const more = shownToolNames((await listing.turn('show tools')).messages)
    expect(more.filter((name) => exposed.includes(name)).toSorted()).toEqual(['echo', 'slow'])
  })

  it(`aap 30${mark}: options that are not given have their defaults in the model call`, async () => {
    const meta = await client().meta()
    const declared = meta.body.agents.find(({ name }) => name === 'scripted')?.options ?? []
    const defaults = Object.fromEntries(declared.map((option) => [option.name, option.default]))
    const asShown = { ...defaults, apiKey: fingerprint(defaults['apiKey'] ?? '') }
    expect(defaults['language']).toBe('English')

    const bare = await openSession(client())
    expect(shown((await bare.turn('show options')).messages)).toEqual(asShown)
    const some = await openSession(client(), { options: { language: 'French' } })
    expect(shown((await some.turn('show options')).messages)).toEqual({ ...asShown, language: 'French' })
    const secret = await openSession(client(), { options: { apiKey: 's3cret', model: 'b' } })
    const expected = { ...asShown, apiKey: fingerprint('s3cret'), model: 'b' }
    expect(shown((await secret.turn('show options')).messages)).toEqual(expected)
  })
})

describe('creating a session only at /aap/v3', () => {
  it('aap 20: creation makes no model call, not even for a seed that ends on a user message', async () => {
    const client = server.client(V3)
    const seed: readonly HistoryMessage[] = [{ role: 'user', content: 'say I was not asked' }]
    const session = await openSession(client, { seed })
    await (await openSession(client)).turn('say something else, meanwhile')
    expect(await session.history()).toEqual(seed)

    const answer = await session.turn('show messages')
    expect(shownMessages(answer.messages).map(shownText)).toEqual(['say I was not asked', 'show messages'])
  })

  it('aap 25: a seed may end on open calls to declared client tools, which its client then answers', async () => {
    const client = server.client(V3)
    const seed: readonly HistoryMessage[] = [
      { role: 'user', content: 'weather?' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', toolCallId: 'w1', name: 'weather', input: { city: 'Oslo' } }],
      },
    ]
    const clientTools = [V3.tool('weather', 'Tells the weather', WEATHER)]
    const session = await openSession(client, { seed, clientTools })
    const answer = await session.turn([{ role: 'tool', toolCallId: 'w1', content: 'rain' }])
    expect(answer.stopReason).toBe('end_turn')
    expect(inBlocks(await session.history()).slice(0, 3)).toEqual([
      ...seed,
      { role: 'tool', toolCallId: 'w1', content: 'rain' },
    ])
  })
})

describe('creating a session only at /aap/v1', () => {
  it('aap 20 (v1): the messages before the last one make no model call of their own', async () => {
    const client = server.client(V1)
    const answer = await client.create({
      agent: { name: 'scripted' },
      messages: [
        { role: 'user', content: 'say I was not asked' },
        { role: 'user', content: 'say I was' },
      ],
    })
    const session = attachSession(client, answer.body.sessionId)
    expect(inBlocks(await session.history())).toEqual([
      { role: 'user', content: 'say I was not asked' },
      { role: 'user', content: 'say I was' },
      { role: 'assistant', content: [{ type: 'text', text: 'I was' }] },
    ])
  })
})

import { calls, createFakeTool, finishes, hangs, says } from '@polylogue/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { ANN, openRest, type Rest, type RestOptions } from './test-support/open-rest.ts'

let rest: Rest
afterEach(() => rest.close())

async function open(options: RestOptions = {}): Promise<void> {
  rest = await openRest(options)
}

async function create(body: object = {}, key = 'ann'): Promise<string> {
  const answer = await rest.send('POST', '/api/sessions', { body, key })
  expect(answer.status).toBe(200)
  return answer.body.session_id
}

const read = async (id: string, key = 'ann') => (await rest.send('GET', `/api/sessions/${id}`, { key })).body
const list = async (query = '', key = 'ann') => (await rest.send('GET', `/api/sessions${query}`, { key })).body
const idsOf = (page: { items: { id: string }[] }): readonly string[] => page.items.map(({ id }) => id)

async function run(id: string, text: string): Promise<void> {
  const { turnId } = await rest.say(id, text)
  await rest.untilRecorded(id, ({ event }) => event.type === 'turn.ended' && event.turnId === turnId)
}

const ROLES = [
  { id: 'planner', name: 'Planner', instructions: 'Plan.', isPlanning: true, firstMessage: 'What shall I plan?' },
  { id: 'doer', name: 'Doer', description: 'Does.', instructions: 'Do.' },
]

const BASE = {
  intent: '',
  status: 'created',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  user_id: 'ann',
  solution_id: 'tester',
  biz_role_id: null,
  model: 'fake/model',
  shared: false,
  is_pinned: false,
  memory_enabled: true,
  is_persistent: false,
  replay_state: null,
}

describe('creating a session', () => {
  it('blade 13: answers exactly its id', async () => {
    await open()
    for (const sent of [{ body: {} }, {}]) {
      const { status, body } = await rest.send('POST', '/api/sessions', sent)
      expect([status, body]).toEqual([200, { session_id: expect.stringMatching(/^[0-9a-f-]{36}$/) }])
    }
  })

  it('blade 9: ignores what it does not know, and takes null for "not given"', async () => {
    await open()
    const id = await create({ colour: 'red', template_id: 't', model: null, intent: null, disable_tools: null })
    expect(await read(id)).toMatchObject({ ...BASE, id })
  })

  it('blade 14: begins with the documented values, and with what was given', async () => {
    await open()
    expect(await read(await create())).toMatchObject(BASE)
    const given = { intent: 'To do', model: 'fake/other', memory_enabled: false, is_persistent: true }
    expect(await read(await create(given))).toMatchObject({ ...BASE, ...given })
    expect(await read(await create({ model: 'fake/model' }))).toMatchObject(BASE)
  })

  it('blade 14: is running while it runs, and completed, failed or interrupted then', async () => {
    await open()
    const id = await create()
    const gate = Promise.withResolvers<void>()
    rest.model.push([says('a'), () => gate.promise, finishes()])
    await rest.say(id, 'go')
    await rest.untilRecorded(id, ({ event }) => event.type === 'step.started')
    expect((await read(id)).status).toBe('running')
    gate.resolve()
    await rest.untilRecorded(id, ({ event }) => event.type === 'turn.ended')
    expect((await read(id)).status).toBe('completed')
    rest.model.push([{ type: 'failed', error: { code: 'model-error', message: 'no' } }])
    await run(id, 'again')
    expect((await read(id)).status).toBe('failed')
  })

  it('blade 15: has every field, and what the detail adds', async () => {
    await open()
    const id = await create()
    expect(await read(id)).toEqual({
      ...BASE,
      id,
      solution: expect.objectContaining({ id: 'tester', name: 'The tester' }),
      primary_skill_snapshot: null,
      session_setup: { mode: 'executing', layout_type: 'default', initial_message: null, disable_tools: [] },
      viewer_role: 'owner',
    })
  })

  it('blade 24: keeps its solution and its role', async () => {
    await open({ roles: ROLES })
    const id = await create({ solution_id: 'tester', biz_role_id: 'planner' })
    const attempt = { intent: 'x', solution_id: 'other', biz_role_id: 'doer' }
    expect((await rest.send('PATCH', `/api/sessions/${id}`, { body: attempt })).status).toBe(200)
    expect(await read(id)).toMatchObject({
      solution_id: 'tester',
      biz_role_id: 'planner',
      session_setup: { mode: 'planning', initial_message: 'What shall I plan?' },
    })
    const roles = await rest.send('GET', '/api/solutions/tester/biz-roles')
    expect(roles.body).toEqual({
      solution_id: 'tester',
      user_id: 'ann',
      items: [
        {
          id: 'planner',
          name: 'Planner',
          description: '',
          initial_mode: 'planning',
          initial_message: 'What shall I plan?',
        },
        { id: 'doer', name: 'Doer', description: 'Does.', initial_mode: 'executing', initial_message: null },
      ],
    })
  })

  it('blade 25: keeps a disabled tool from the model', async () => {
    await open({ tools: [createFakeTool('Bash'), createFakeTool('Read')] })
    const id = await create({ disable_tools: ['Bash'] })
    await run(id, 'go')
    expect(rest.model.requests[0]?.tools.map(({ name }) => name)).toEqual(['Read'])
    expect((await read(id)).session_setup.disable_tools).toEqual(['Bash'])
  })

  it('has no variables, and says so', async () => {
    await open()
    const { status } = await rest.send('POST', '/api/sessions', { body: { env: { TOKEN: 'x' } } })
    expect(status).toBe(501)
    expect((await list()).total).toBe(0)
    await create({ env: {} })
  })
})

describe('the list', () => {
  it('blade 16: says what it is a page of', async () => {
    await open()
    for (let i = 0; i < 23; i++) await create({ intent: `number ${i}` })
    const { items, ...page } = await list()
    expect(page).toEqual({ total: 23, limit: 20, offset: 0, content_match_truncated: false })
    expect(items).toHaveLength(20)
    expect((await list('?limit=5&offset=21')).items).toHaveLength(2)
  })

  it('blade 17: takes no page of nothing, and none before the first', async () => {
    await open()
    for (const query of ['?limit=0', '?offset=-1', '?limit=x', '?limit=1.5']) {
      const { status, body } = await rest.send('GET', `/api/sessions${query}`)
      expect([query, status, typeof body.detail]).toEqual([query, 422, 'string'])
    }
  })

  it('blade 17: takes any larger page, and says how much of it is there', async () => {
    await open()
    await create({ intent: 'one' })
    for (const query of ['?limit=5000', '?limit=5000&q=one']) {
      expect(await list(query)).toMatchObject({ total: 1, limit: 1_000, items: [{ intent: 'one' }] })
    }
  })

  it('blade 18: is searched in titles and in what was said, not in what tools said', async () => {
    const tool = createFakeTool('look', { run: () => ({ content: 'a Walrus' }) })
    await open({ tools: [tool] })
    const titled = await create({ intent: 'About a WALRUS' })
    const asked = await create({ intent: 'one' })
    await run(asked, 'what is a walrus?')
    const answered = await create({ intent: 'two' })
    rest.model.push([says('It is a Walrus.'), finishes()])
    await run(answered, 'what is it?')
    const looked = await create({ intent: 'three' })
    rest.model.push([calls('c', 'look'), finishes('tool-calls')])
    await run(looked, 'look')
    const foreign = await create({ intent: 'walrus' }, 'ben')

    const found = await list('?q=walrus')
    expect(new Set(idsOf(found))).toEqual(new Set([titled, asked, answered]))
    expect(found).toMatchObject({ total: 3, content_match_truncated: false })
    expect(idsOf(await list('?q=walrus', 'ben'))).toEqual([foreign])
    expect(await list('?template_id_prefix=x')).toMatchObject({ items: [], total: 0 })
  })

  it('blade 18: pages of a search are one list without gap or repeat', async () => {
    await open()
    for (let i = 0; i < 12; i++) {
      rest.clock.advance(1_000)
      const id = await create({ intent: i % 3 === 0 ? `walrus ${i}` : `number ${i}` })
      if (i % 2 === 0) await run(id, 'a walrus?')
    }
    const whole = idsOf(await list('?q=walrus'))
    expect(whole).toHaveLength(8)
    for (const limit of [1, 2, 3, 5]) {
      const pages: string[] = []
      for (let offset = 0; offset < 9; offset += limit) {
        pages.push(...idsOf(await list(`?q=walrus&limit=${limit}&offset=${offset}`)))
      }
      expect(pages).toEqual(whole)
    }
  })

  it('blade 19: has pinned sessions first, then what changed last', async () => {
    await open()
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      rest.clock.advance(1_000)
      ids.push(await create())
    }
    const [first = '', second = '', third = ''] = ids
    expect(idsOf(await list())).toEqual([third, second, first])
    rest.clock.advance(1_000)
    await rest.send('PATCH', `/api/sessions/${second}`, { body: { intent: 'changed' } })
    expect(idsOf(await list())).toEqual([second, third, first])
    await rest.send('PATCH', `/api/sessions/${first}/pin`, { body: { pinned: true } })
    expect(idsOf(await list())).toEqual([first, second, third])
  })

  it('blade 19, 159: a pin changes neither `updated_at` nor the order after it is taken away', async () => {
    await open()
    const first = await create()
    rest.clock.advance(1_000)
    const second = await create()
    const { updated_at } = await read(first)
    rest.clock.advance(1_000)
    for (const pinned of [true, false]) {
      const { body } = await rest.send('PATCH', `/api/sessions/${first}/pin`, { body: { pinned } })
      expect(body).toMatchObject({ is_pinned: pinned, updated_at })
    }
    expect(idsOf(await list())).toEqual([second, first])
  })
})

describe('changing a session', () => {
  it('blade 20: an intent may describe a whole task', async () => {
    await open({ bodyBytes: 100_000 })
    const id = await create({ intent: 'x'.repeat(20_000) })
    const patch = async (intent: string) => rest.send('PATCH', `/api/sessions/${id}`, { body: { intent } })
    expect((await patch('y'.repeat(20_000))).body.intent).toBe('y'.repeat(20_000))
    const { status, body } = await patch('y'.repeat(20_001))
    expect([status, body]).toEqual([422, { detail: expect.stringMatching(/^intent: /) }])
  })

  it('blade 20: another intent is kept and answered with the detail', async () => {
    await open()
    const id = await create({ intent: 'before' })
    const { status, body } = await rest.send('PATCH', `/api/sessions/${id}`, { body: { intent: ' after ' } })
    expect([status, body]).toEqual([200, await read(id)])
    expect(body).toMatchObject({ intent: 'after', viewer_role: 'owner' })
    expect((await rest.send('PATCH', `/api/sessions/${id}`, { body: {} })).body.intent).toBe('after')
  })

  it('blade 21: pin, memory and sharing are switched and answered as documented', async () => {
    await open()
    const id = await create()
    const pinned = await rest.send('PATCH', `/api/sessions/${id}/pin`, { body: { pinned: true } })
    expect(pinned.body).toEqual(await read(id))
    expect(pinned.body.is_pinned).toBe(true)
    const memory = await rest.send('PATCH', `/api/sessions/${id}/memory`, { body: { memory_enabled: false } })
    expect(memory.body).toEqual({ memory_enabled: false })
    const sharing = await rest.send('PATCH', `/api/sessions/${id}/sharing`, { body: { shared: true } })
    expect(sharing.body).toEqual({ shared: true })
    expect(await read(id)).toMatchObject({ is_pinned: true, memory_enabled: false, shared: true })
    for (const [part, body] of Object.entries({ pin: { pinned: null }, memory: {}, sharing: { shared: 1 } })) {
      expect((await rest.send('PATCH', `/api/sessions/${id}/${part}`, { body })).status).toBe(422)
    }
  })

  it('blade 22: a deleted session is gone', async () => {
    await open()
    const id = await create()
    const { status, body } = await rest.send('DELETE', `/api/sessions/${id}`)
    expect([status, body]).toEqual([200, { deleted: true }])
    expect((await rest.send('GET', `/api/sessions/${id}`)).status).toBe(404)
    expect((await rest.send('DELETE', `/api/sessions/${id}`)).status).toBe(404)
  })

  it('blade 23: what is running when it is deleted ends first, cancelled, and nothing comes after that', async () => {
    await open()
    const id = await create()
    rest.model.push([says('a'), hangs])
    await rest.say(id, 'go')
    await rest.untilRecorded(id, ({ event }) => event.type === 'step.started')
    const seen: string[] = []
    const view = await rest.engine.readSession(ANN, (await read(id)).id)
    await rest.engine.attach(ANN, view.sessionId, {
      after: { seq: view.lastSeq },
      reader: {
        recorded({ event }) {
          seen.push(event.type === 'turn.ended' ? `${event.type} ${event.outcome}` : event.type)
        },
        delta: () => undefined,
        closed: (reason) => void seen.push(reason),
      },
    })
    expect((await rest.send('DELETE', `/api/sessions/${id}`)).body).toEqual({ deleted: true })
    expect(seen.slice(-2)).toEqual(['turn.ended cancelled', 'deleted'])
  })
})

describe('a session of somebody else', () => {
  it('blade 6: is unknown, until it is shared: then it is read and nothing else', async () => {
    await open()
    const id = await create({ intent: 'mine' })
    const asked = [
      ['GET', '', undefined, 200],
      ['GET', '/messages', undefined, 200],
      ['PATCH', '', { intent: 'x' }, 403],
      ['PATCH', '/pin', { pinned: true }, 403],
      ['PATCH', '/memory', { memory_enabled: false }, 403],
      ['PATCH', '/sharing', { shared: false }, 403],
      ['POST', '/compact', undefined, 403],
      ['DELETE', '', undefined, 403],
    ] as const
    const unknown = '00000000-0000-7000-8000-999999999999'
    for (const [method, path, body] of asked) {
      const foreign = await rest.send(method, `/api/sessions/${id}${path}`, { body, key: 'ben' })
      const none = await rest.send(method, `/api/sessions/${unknown}${path}`, { body, key: 'ben' })
      expect([path, foreign.status, foreign.text]).toEqual([path, 404, none.text])
    }
    await rest.send('PATCH', `/api/sessions/${id}/sharing`, { body: { shared: true } })
    for (const [method, path, body, status] of asked) {
      const answer = await rest.send(method, `/api/sessions/${id}${path}`, { body, key: 'ben' })
      expect([method, path, answer.status]).toEqual([method, path, status])
    }
    expect(await read(id, 'ben')).toMatchObject({ intent: 'mine', viewer_role: 'viewer', shared: true })
    expect((await list('', 'ben')).total).toBe(0)
    await rest.send('PATCH', `/api/sessions/${id}/sharing`, { body: { shared: false } })
    expect((await rest.send('GET', `/api/sessions/${id}`, { key: 'ben' })).status).toBe(404)
  })
})

describe('what was said', () => {
  it('blade 44: comes as turns in order, numbered from 0', async () => {
    await open()
    const id = await create()
    rest.model.push([says('Hello'), finishes()])
    await run(id, 'hi')
    const { status, body } = await rest.send('GET', `/api/sessions/${id}/messages`)
    expect(status).toBe(200)
    expect(body).toMatchObject([
      { sequence: 0, role: 'user', status: 'completed', blocks: [{ type: 'text', content: 'hi' }] },
      { sequence: 1, role: 'assistant', status: 'completed', blocks: [{ type: 'text', content: 'Hello' }] },
    ])
  })

  it('blade 106: is not compacted while the session runs', async () => {
    await open()
    const id = await create()
    rest.model.push([says('a'), hangs])
    await rest.say(id, 'go')
    await rest.untilRecorded(id, ({ event }) => event.type === 'step.started')
    const { status, body } = await rest.send('POST', `/api/sessions/${id}/compact`)
    expect([status, typeof body.detail]).toEqual([409, 'string'])
  })

  it('blade 107: is not compacted where there is next to nothing', async () => {
    await open()
    const { status, body } = await rest.send('POST', `/api/sessions/${await create()}/compact`)
    expect([status, typeof body.detail]).toEqual([409, 'string'])
  })

  it('blade 103: is compacted on request, and the answer is the turn that tells of it', async () => {
    await open()
    const id = await create()
    for (const text of ['one', 'two', 'three']) {
      rest.model.push([says(`${text} `.repeat(2_000)), finishes()])
      await run(id, text)
    }
    rest.model.push([says('In short.'), finishes()])
    const { status, body } = await rest.send('POST', `/api/sessions/${id}/compact`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'ok',
      turn: { kind: 'compaction', role: 'system', status: 'completed', trigger: 'manual' },
    })
    const messages = (await rest.send('GET', `/api/sessions/${id}/messages`)).body
    expect(messages.at(-1)).toEqual(body.turn)
    expect(messages).toHaveLength(7)
  })

  it('says so when a summary is no shorter than what was said', async () => {
    await open()
    const id = await create()
    for (const text of ['one', 'two', 'three']) {
      rest.model.push([says(text), finishes()])
      await run(id, text)
    }
    rest.model.push([says('a long summary '.repeat(100)), finishes()])
    const { status, body } = await rest.send('POST', `/api/sessions/${id}/compact`)
    expect([status, body]).toEqual([409, { detail: expect.stringMatching(/not shorter than/) }])
  })

  it('says so when no summary came of it', async () => {
    await open()
    const id = await create()
    for (const text of ['one', 'two', 'three']) {
      rest.model.push([says(`${text} `.repeat(2_000)), finishes()])
      await run(id, text)
    }
    const failed = { type: 'failed', error: { code: 'model-error', message: 'no' } } as const
    rest.model.push([failed], [failed], [failed])
    const { status, body } = await rest.send('POST', `/api/sessions/${id}/compact`)
    expect([status, body]).toEqual([502, { detail: expect.stringMatching(/^The session was not compacted: /) }])
  })
})

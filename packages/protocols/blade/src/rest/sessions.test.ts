import { createFakeTool, finishes, hangs, says } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { ANN } from './test-support/open-rest.ts'
import { usingRest } from './test-support/using-rest.ts'

const sessions = usingRest()
const { open, create, list, read, run } = sessions

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
  thinking: null,
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
      const { status, body } = await sessions.rest.send('POST', '/api/sessions', sent)
      expect([status, body]).toEqual([200, { session_id: expect.stringMatching(/^[0-9a-f-]{36}$/) }])
    }
  })

  it('blade 9: ignores unknown fields, and treats null as absent', async () => {
    await open()
    const id = await create({ colour: 'red', template_id: 't', model: null, intent: null, disable_tools: null })
    expect(await read(id)).toMatchObject({ ...BASE, id })
  })

  it('blade 14: begins with the documented values and the given ones', async () => {
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
    sessions.rest.model.push([says('a'), () => gate.promise, finishes()])
    await sessions.rest.say(id, 'go')
    await sessions.rest.untilRecorded(id, ({ event }) => event.type === 'step.started')
    expect((await read(id)).status).toBe('running')
    gate.resolve()
    await sessions.rest.untilRecorded(id, ({ event }) => event.type === 'turn.ended')
    expect((await read(id)).status).toBe('completed')
    sessions.rest.model.push([{ type: 'failed', error: { code: 'model-error', message: 'no' } }])
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
    expect((await sessions.rest.send('PATCH', `/api/sessions/${id}`, { body: attempt })).status).toBe(200)
    expect(await read(id)).toMatchObject({
      solution_id: 'tester',
      biz_role_id: 'planner',
      session_setup: { mode: 'planning', initial_message: 'What shall I plan?' },
    })
    const roles = await sessions.rest.send('GET', '/api/solutions/tester/biz-roles')
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
    expect(sessions.rest.model.requests[0]?.tools.map(({ name }) => name)).toEqual(['Read'])
    expect((await read(id)).session_setup.disable_tools).toEqual(['Bash'])
  })

  it('has no variables, and says so', async () => {
    await open()
    const { status } = await sessions.rest.send('POST', '/api/sessions', { body: { env: { TOKEN: 'x' } } })
    expect(status).toBe(501)
    expect((await list()).total).toBe(0)
    await create({ env: {} })
  })
})

describe('changing a session', () => {
  it('blade 20: an intent may describe a whole task', async () => {
    await open({ bodyBytes: 100_000 })
    const id = await create({ intent: 'x'.repeat(20_000) })
    const patch = async (intent: string) => sessions.rest.send('PATCH', `/api/sessions/${id}`, { body: { intent } })
    expect((await patch('y'.repeat(20_000))).body.intent).toBe('y'.repeat(20_000))
    const { status, body } = await patch('y'.repeat(20_001))
    expect([status, body]).toEqual([422, { detail: expect.stringMatching(/^intent: /) }])
  })

  it('blade 20: another intent is kept and answered with the detail', async () => {
    await open()
    const id = await create({ intent: 'before' })
    const { status, body } = await sessions.rest.send('PATCH', `/api/sessions/${id}`, { body: { intent: ' after ' } })
    expect([status, body]).toEqual([200, await read(id)])
    expect(body).toMatchObject({ intent: 'after', viewer_role: 'owner' })
    expect((await sessions.rest.send('PATCH', `/api/sessions/${id}`, { body: {} })).body.intent).toBe('after')
  })

  it('blade 55a: changes the model and how much it thinks', async () => {
    await open()
    const id = await create({ thinking: 'low' })
    expect(await read(id)).toMatchObject({ model: 'fake/model', thinking: 'low' })
    const patch = async (body: object) => sessions.rest.send('PATCH', `/api/sessions/${id}`, { body })
    const changed = await patch({ model: 'fake/other', thinking: 'high' })
    expect([changed.status, changed.body]).toMatchObject([200, { model: 'fake/other', thinking: 'high' }])
    expect((await patch({ thinking: 'default' })).body).toMatchObject({ model: 'fake/other', thinking: null })
    for (const model of ['no/such', '']) expect((await patch({ model })).status).toBe(422)
    expect(await read(id)).toMatchObject({ model: 'fake/other', thinking: null })
  })

  it('blade 21: pin, memory and sharing are switched and answered as documented', async () => {
    await open()
    const id = await create()
    const pinned = await sessions.rest.send('PATCH', `/api/sessions/${id}/pin`, { body: { pinned: true } })
    expect(pinned.body).toEqual(await read(id))
    expect(pinned.body.is_pinned).toBe(true)
    const memory = await sessions.rest.send('PATCH', `/api/sessions/${id}/memory`, { body: { memory_enabled: false } })
    expect(memory.body).toEqual({ memory_enabled: false })
    const sharing = await sessions.rest.send('PATCH', `/api/sessions/${id}/sharing`, { body: { shared: true } })
    expect(sharing.body).toEqual({ shared: true })
    expect(await read(id)).toMatchObject({ is_pinned: true, memory_enabled: false, shared: true })
    for (const [part, body] of Object.entries({ pin: { pinned: null }, memory: {}, sharing: { shared: 1 } })) {
      expect((await sessions.rest.send('PATCH', `/api/sessions/${id}/${part}`, { body })).status).toBe(422)
    }
  })

  it('blade 22: a deleted session is gone', async () => {
    await open()
    const id = await create()
    const { status, body } = await sessions.rest.send('DELETE', `/api/sessions/${id}`)
    expect([status, body]).toEqual([200, { deleted: true }])
    expect((await sessions.rest.send('GET', `/api/sessions/${id}`)).status).toBe(404)
    expect((await sessions.rest.send('DELETE', `/api/sessions/${id}`)).status).toBe(404)
  })

  it('blade 23: a run is cancelled before its session is deleted, and nothing follows', async () => {
    await open()
    const id = await create()
    sessions.rest.model.push([says('a'), hangs])
    await sessions.rest.say(id, 'go')
    await sessions.rest.untilRecorded(id, ({ event }) => event.type === 'step.started')
    const seen: string[] = []
    const view = await sessions.rest.engine.readSession(ANN, (await read(id)).id)
    await sessions.rest.engine.attach(ANN, view.sessionId, {
      after: { seq: view.lastSeq },
      reader: {
        recorded({ event }) {
          seen.push(event.type === 'turn.ended' ? `${event.type} ${event.outcome}` : event.type)
        },
        delta: () => undefined,
        closed: (reason) => void seen.push(reason),
      },
    })
    expect((await sessions.rest.send('DELETE', `/api/sessions/${id}`)).body).toEqual({ deleted: true })
    expect(seen.slice(-2)).toEqual(['turn.ended cancelled', 'deleted'])
  })
})

describe('a session of another user', () => {
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
      const foreign = await sessions.rest.send(method, `/api/sessions/${id}${path}`, { body, key: 'ben' })
      const none = await sessions.rest.send(method, `/api/sessions/${unknown}${path}`, { body, key: 'ben' })
      expect([path, foreign.status, foreign.text]).toEqual([path, 404, none.text])
    }
    await sessions.rest.send('PATCH', `/api/sessions/${id}/sharing`, { body: { shared: true } })
    for (const [method, path, body, status] of asked) {
      const answer = await sessions.rest.send(method, `/api/sessions/${id}${path}`, { body, key: 'ben' })
      expect([method, path, answer.status]).toEqual([method, path, status])
    }
    expect(await read(id, 'ben')).toMatchObject({ intent: 'mine', viewer_role: 'viewer', shared: true })
    expect((await list('', 'ben')).total).toBe(0)
    await sessions.rest.send('PATCH', `/api/sessions/${id}/sharing`, { body: { shared: false } })
    expect((await sessions.rest.send('GET', `/api/sessions/${id}`, { key: 'ben' })).status).toBe(404)
  })
})

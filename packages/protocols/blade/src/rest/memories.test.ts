import { asSessionId } from '@polylogue/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ANN, openRest, type Rest } from './test-support/open-rest.ts'

let rest: Rest
beforeEach(async () => {
  rest = await openRest()
})
afterEach(() => rest.close())

async function add(body: object, key = 'ann') {
  const answer = await rest.send('POST', '/api/memories', { body, key })
  expect(answer.status).toBe(201)
  return answer.body
}

const list = async (query = '', key = 'ann') => (await rest.send('GET', `/api/memories${query}`, { key })).body
const contents = (page: { items: { content: string }[] }): readonly string[] => page.items.map(({ content }) => content)

const NOTHING_ELSE = {
  skill_name: null,
  record_type: null,
  scope: null,
  owner: null,
  topic: null,
  mem0_id: null,
  superseded_by: null,
  write_reason: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: null,
  hit_count: 0,
  last_hit_at: null,
  disabled: false,
  source_session: '',
}

describe('memories', () => {
  it('blade 116: are made with all their fields', async () => {
    const memory = await add({ content: 'I like tea.' })
    expect(memory).toEqual({ id: expect.any(Number), type: 'feedback', content: 'I like tea.', ...NOTHING_ELSE })
    const given = {
      content: 'Tests first.',
      type: 'experience',
      skill_name: 'testing',
      record_type: 'skill_comment',
      scope: 'work',
      owner: 'me',
      topic: 'tests',
      mem0_id: 'm-7',
      write_reason: 'asked to',
    }
    const full = await add({ ...given, id: 99, hit_count: 5 })
    expect(full).toEqual({ ...NOTHING_ELSE, ...given, id: memory.id + 1 })
    expect((await rest.send('GET', `/api/memories/${full.id}`)).body).toEqual(full)
  })

  it('blade 117: have 1 to 500 characters and one of two types', async () => {
    const wrong = [
      {},
      { content: '' },
      { content: '   ' },
      { content: 'x'.repeat(501) },
      { content: 'x', type: 'other' },
      { content: 'x', record_type: 'skill-comment' },
      { content: 'x', topic: 'x'.repeat(256) },
      { content: 'x', write_reason: 'x'.repeat(501) },
    ]
    for (const body of wrong) {
      const { status, body: answer } = await rest.send('POST', '/api/memories', { body })
      expect([body, status, typeof answer.detail]).toEqual([body, 422, 'string'])
    }
    const empty = { skill_name: '', scope: '', owner: '', topic: '', mem0_id: '' }
    const bare = await add({ content: 'x', ...empty })
    expect(bare).toMatchObject(empty)
    await rest.send('DELETE', `/api/memories/${bare.id}`)
    expect((await add({ content: '🫖'.repeat(500) })).content).toBe('🫖'.repeat(500))
    expect((await list()).total).toBe(1)
  })

  it('blade 118: are found by every filter, by a keyword, and in pages', async () => {
    for (let i = 1; i <= 25; i++) await add({ content: `number ${i}`, topic: i % 2 === 0 ? 'even' : 'odd' })
    const tea = await add({ content: 'I like Tea.', type: 'experience', skill_name: 's', scope: 'c', owner: 'o' })
    await add({ content: 'Hers.' }, 'ben')
    await rest.send('PATCH', `/api/memories/${tea.id}`, { body: { disabled: true } })

    expect(await list()).toMatchObject({ total: 26 })
    expect((await list()).items).toHaveLength(20)
    expect(contents(await list('?limit=2&offset=1'))).toEqual(['number 25', 'number 24'])
    const filters = ['keyword=tea', 'type=experience', 'skill_name=s', 'scope=c', 'owner=o', 'status=disabled']
    for (const filter of filters) expect(contents(await list(`?${filter}`))).toEqual(['I like Tea.'])
    expect(await list('?topic=even&status=enabled')).toMatchObject({ total: 12 })
    expect(await list('?record_type=memory')).toEqual({ items: [], total: 0 })
    expect(await list('?keyword=&type=')).toMatchObject({ total: 26 })
    for (const query of ['limit=101', 'limit=0', 'offset=-1', 'status=gone', 'type=x']) {
      expect((await rest.send('GET', `/api/memories?${query}`)).status).toBe(422)
    }
  })

  it('blade 119: change only in the given fields, and can be disabled and enabled', async () => {
    const { id } = await add({ content: 'before', topic: 'kept' })
    rest.clock.advance(60_000)
    const put = await rest.send('PUT', `/api/memories/${id}`, { body: { content: 'after', scope: null } })
    const changed = { content: 'after', topic: 'kept', scope: null, updated_at: '2026-01-01T00:01:00.000Z' }
    expect(put.body).toMatchObject(changed)
    const off = await rest.send('PATCH', `/api/memories/${id}`, { body: { disabled: true } })
    expect(off.body).toMatchObject({ content: 'after', disabled: true })
    const on = await rest.send('PATCH', `/api/memories/${id}`, { body: { disabled: false } })
    expect(on.body.disabled).toBe(false)
    expect((await rest.send('PATCH', `/api/memories/${id}`, { body: {} })).status).toBe(422)
    expect((await rest.send('PUT', `/api/memories/${id}`, { body: { content: '' } })).status).toBe(422)
    expect((await rest.send('DELETE', `/api/memories/${id}`)).body).toEqual({ ok: true })
    for (const method of ['GET', 'DELETE']) {
      expect((await rest.send(method, `/api/memories/${id}`)).body).toEqual({ detail: 'There is no such memory.' })
    }
    for (const wrong of ['0', '-1', '1.5', 'x', '1e3', '9'.repeat(30)]) {
      expect((await rest.send('GET', `/api/memories/${wrong}`)).status).toBe(404)
    }
  })

  it('blade 120: are changed up to a hundred at once, and only those of the caller', async () => {
    const ids: number[] = []
    for (let i = 0; i < 3; i++) ids.push((await add({ content: `number ${i}` })).id)
    const foreign = (await add({ content: 'hers' }, 'ben')).id
    const batch = async (body: object) => (await rest.send('POST', '/api/memories/batch', { body })).body
    expect(await batch({ action: 'disable', ids: [...ids, foreign, 9_999] })).toEqual({ ok: true, count: 3 })
    expect(await list('?status=disabled')).toMatchObject({ total: 3 })
    expect(await batch({ action: 'disable', ids })).toEqual({ ok: true, count: 0 })
    expect(await batch({ action: 'enable', ids: [ids[0], ids[0]] })).toEqual({ ok: true, count: 1 })
    expect(await batch({ action: 'enable', ids })).toEqual({ ok: true, count: 2 })
    expect(await batch({ action: 'delete', ids: [...ids, foreign] })).toEqual({ ok: true, count: 3 })
    expect(await list('', 'ben')).toMatchObject({ total: 1, items: [{ disabled: false }] })
    const wrong = [
      { action: 'delete', ids: [] },
      { action: 'delete', ids: Array.from({ length: 101 }, (_, index) => index + 1) },
      { action: 'forget', ids: [1] },
      { action: 'delete', ids: ['1'] },
      { action: 'delete' },
    ]
    for (const body of wrong) expect((await rest.send('POST', '/api/memories/batch', { body })).status).toBe(422)
  })
})

describe('a turn', () => {
  async function ask(text: string, session: object = {}) {
    const id: string = (await rest.send('POST', '/api/sessions', { body: session })).body.session_id
    const { turnId } = await rest.say(id, text)
    await rest.untilRecorded(id, ({ event }) => event.type === 'turn.ended' && event.turnId === turnId)
    const messages: { role: string; memory_refs: { id: number }[] | null }[] = (
      await rest.send('GET', `/api/sessions/${id}/messages`)
    ).body
    return { id, refs: messages.find(({ role }) => role === 'assistant')?.memory_refs }
  }

  it('blade 121: refers to the memories that it is about, and counts them as hits', async () => {
    const { id } = await add({ content: 'I drink green tea.', skill_name: 'cooking' })
    const { refs } = await ask('Which tea do I drink?')
    expect(refs).toEqual([{ id, content_preview: 'I drink green tea.', skill_name: 'cooking' }])
    const { body } = await rest.send('GET', `/api/memories/${id}`)
    expect(body).toMatchObject({ hit_count: 1, last_hit_at: '2026-01-01T00:00:00.000Z' })
  })

  it('blade 121a: is not given corrected memories', async () => {
    const old = await add({ content: 'I drink green tea.' })
    const sourceSession = asSessionId((await ask('hello')).id)
    const correction = { type: 'feedback', content: 'I drink black tea.', supersedes: old.id, sourceSession } as const
    const added = await rest.memories.addMemory(ANN, correction)
    const id = added.type === 'added' ? added.memory.memoryId : 0
    expect((await rest.send('GET', `/api/memories/${old.id}`)).body.superseded_by).toBe(id)
    expect((await rest.send('GET', `/api/memories/${id}`)).body.source_session).toBe(sourceSession)
    expect((await ask('Which tea do I drink?')).refs).toMatchObject([{ id }])
  })

  it('blade 122: is given no disabled memory, and none while memory is switched off', async () => {
    const { id } = await add({ content: 'I drink green tea.' })
    expect((await ask('Which tea do I drink?', { memory_enabled: false })).refs).toBeNull()
    await rest.send('PATCH', `/api/memories/${id}`, { body: { disabled: true } })
    expect((await ask('Which tea do I drink?')).refs).toBeNull()
    expect((await rest.send('GET', `/api/memories/${id}`)).body.hit_count).toBe(0)
  })
})

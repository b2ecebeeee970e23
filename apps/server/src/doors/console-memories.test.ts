import { describe, expect, it } from 'vitest'
import { askOwner, createKeyOf } from '../test-support/ask-owner.ts'
import { exchange, type Exchange } from '../test-support/exchange.ts'
import { startServer, type TestServer } from '../test-support/start-server.ts'

const MEMORY = '/api/polylogue/memory'

type Json = Record<string, unknown>

function clientOf(server: TestServer, key = server.localKey) {
  const ask = (path: string, options: Omit<Exchange, 'headers'> = {}) =>
    exchange(`${server.url}${MEMORY}${path}`, { ...options, headers: { authorization: `Bearer ${key}` } })
  return {
    ask,
    async add(body: Json): Promise<Json> {
      const added = await ask('', { body })
      expect(added.status).toBe(201)
      return added.body as Json
    },
    list: async (query = '') => (await ask(query)).body as { memories: readonly Json[]; total: number },
  }
}

const FULL = {
  type: 'experience',
  content: 'Staging needs the VPN',
  skillName: 'deploy',
  recordType: 'skill-comment',
  scope: 'kiwi',
  owner: 'ops',
  topic: 'servers',
  externalId: 'mem-7',
  writeReason: 'it failed without',
}

describe('memories', () => {
  it('are added, read, changed, disabled and removed', async () => {
    const { ask, add, list } = clientOf(await startServer())
    const full = await add(FULL)
    expect(full).toEqual({
      ...FULL,
      id: 1,
      origin: 'user',
      createdAt: expect.any(Number),
      hitCount: 0,
      disabled: false,
    })
    expect((await ask('/1')).body).toEqual(full)
    const changed = await ask('/1', { method: 'PATCH', body: { content: 'No VPN any more', disabled: true } })
    expect(changed).toMatchObject({
      status: 200,
      body: { ...full, content: 'No VPN any more', disabled: true, updatedAt: expect.any(Number) },
    })
    expect(await list()).toEqual({ memories: [changed.body], total: 1 })
    expect((await ask('/1', { method: 'DELETE' })).status).toBe(204)
    expect((await ask('/1', { method: 'DELETE' })).status).toBe(404)
    expect((await ask('/1', { method: 'PATCH', body: {} })).status).toBe(404)
    expect((await ask('/1')).status).toBe(404)
    expect((await ask('/one')).status).toBe(404)
  })

  it('are corrected: the old one stays, marked', async () => {
    const { ask, add, list } = clientOf(await startServer())
    await add({ content: 'deploy on Tuesdays' })
    await add({ content: 'deploy on Fridays', supersedes: 1 })
    expect((await list()).memories).toMatchObject([{ id: 2 }, { id: 1, supersededBy: 2 }])
    expect(await ask('', { body: { content: 'x', supersedes: 1 } })).toMatchObject({
      status: 400,
      body: { error: 'supersedes: memory 2 corrects it already.' },
    })
    expect((await ask('', { body: { content: 'x', supersedes: 9 } })).body).toEqual({
      error: 'supersedes: no such memory.',
    })
  })

  it('are listed by filter, in pages', async () => {
    const { ask, add, list } = clientOf(await startServer())
    await add(FULL)
    for (let index = 0; index < 4; index++) await add({ content: `fact ${index}` })
    await ask('/2', { method: 'PATCH', body: { disabled: true } })
    const ids = async (query: string) => (await list(query)).memories.map(({ id }) => id)
    expect(await ids('?keyword=VPN&owner=ops&type=experience&recordType=skill-comment')).toEqual([1])
    expect(await ids('?status=disabled')).toEqual([2])
    expect(await ids('?status=enabled&skillName=deploy&scope=kiwi&topic=servers')).toEqual([1])
    expect(await list('?offset=1&limit=2')).toMatchObject({ memories: [{ id: 4 }, { id: 3 }], total: 5 })
    expect((await ask('?limit=101')).status).toBe(400)
    expect((await ask('?status=all')).body).toEqual({ error: expect.stringMatching(/^status: /) })
  })

  it('are changed several at once', async () => {
    const { ask, add, list } = clientOf(await startServer())
    for (let index = 1; index <= 3; index++) await add({ content: `fact ${index}` })
    const batch = async (action: string, ids: readonly number[]) =>
      (await ask('/batch', { body: { action, ids } })).body
    expect(await batch('disable', [1, 2, 9])).toEqual({ count: 2 })
    expect(await batch('enable', [2])).toEqual({ count: 1 })
    expect(await batch('delete', [1, 3])).toEqual({ count: 2 })
    expect((await list()).memories).toMatchObject([{ id: 2, disabled: false }])
    for (const body of [
      { action: 'x', ids: [1] },
      { action: 'delete', ids: [] },
      { action: 'delete', ids: ['1'] },
    ]) {
      expect((await ask('/batch', { body })).status).toBe(400)
    }
    const ids = Array.from({ length: 101 }, (_, index) => index + 1)
    expect((await ask('/batch', { body: { action: 'delete', ids } })).status).toBe(400)
  })

  it('never cross users, and the owner socket speaks for the user local', async () => {
    const server = await startServer()
    const anna = clientOf(server, (await createKeyOf('anna', server.dataDir)).key)
    const local = clientOf(server)
    const { id } = await anna.add({ content: "anna's" })
    await askOwner(server.dataDir, 'POST', MEMORY, { content: "local's" })
    expect((await anna.list()).memories).toMatchObject([{ content: "anna's" }])
    expect((await local.list()).memories).toMatchObject([{ content: "local's" }])
    expect((await local.ask(`/${String(id)}`)).status).toBe(404)
    expect((await local.ask(`/${String(id)}`, { method: 'PATCH', body: { content: 'x' } })).status).toBe(404)
    expect((await local.ask(`/${String(id)}`, { method: 'DELETE' })).status).toBe(404)
    expect((await local.ask('/batch', { body: { action: 'delete', ids: [id] } })).body).toEqual({ count: 0 })
    expect((await local.ask('', { body: { content: 'x', supersedes: id } })).status).toBe(400)
    expect((await anna.list()).memories).toMatchObject([{ content: "anna's" }])
  })

  it('survive a restart', async () => {
    const server = await startServer()
    const { add } = clientOf(server)
    const added = await add(FULL)
    await server.stop(0)
    const again = await startServer({ dataDir: server.dataDir })
    expect(await clientOf(again).list()).toEqual({ memories: [added], total: 1 })
  })

  it.each([
    [{}, /^content: /],
    [{ content: ' ' }, /^content: must not be empty/],
    [{ content: 'x'.repeat(501) }, /^content: must have at most 500 characters/],
    [{ content: 'x', type: 'wish' }, /^type: /],
    [{ content: 'x', topic: 'x'.repeat(256) }, /^topic: /],
    [{ content: 'x', id: 7 }, /id/],
    [{ content: 'x', supersedes: 'y' }, /^supersedes: /],
  ])('that are invalid are refused, case %#', async (body, sentence) => {
    const { ask, list } = clientOf(await startServer())
    const answer = await ask('', { body })
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(sentence) } })
    expect((await list()).total).toBe(0)
  })
})

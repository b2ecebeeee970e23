import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRest, type Rest } from './test-support/open-rest.ts'

let rest: Rest
beforeEach(async () => {
  rest = await openRest()
})
afterEach(() => rest.close())

const create = (more: object) =>
  rest.send('POST', '/api/scheduled-tasks', { body: { title: 'Hourly', prompt: 'go', cron: '0 * * * *', ...more } })

describe('a scheduled task', () => {
  it('blade 128: has a model of this server, or none', async () => {
    expect(await create({ model: 'fake/other' })).toMatchObject({ status: 201, body: { model: 'fake/other' } })
    expect(await create({ model: null })).toMatchObject({ status: 201, body: { model: null } })
    const refused = await create({ model: 'fake/nothing' })
    expect([refused.status, refused.body]).toEqual([422, { detail: expect.stringMatching(/^model: /) }])
    expect((await rest.send('GET', '/api/scheduled-tasks')).body).toHaveLength(2)
  })

  it("blade 128: that uses the agent's own model names none, because no other session can choose it", async () => {
    expect(await create({ model: 'fake/model' })).toMatchObject({ status: 201, body: { model: null } })
  })

  it('blade 128, 157: loses its expiry and its model when they are set to null', async () => {
    const later = new Date(rest.clock.now() + 3_600_000).toISOString()
    const { id } = (await create({ model: 'fake/other', expires_at: later })).body
    const change = (body: object) => rest.send('PATCH', `/api/scheduled-tasks/${id}`, { body })
    expect((await change({ title: null, enabled: null })).body).toMatchObject({
      title: 'Hourly',
      enabled: true,
      model: 'fake/other',
      expires_at: later,
    })
    expect((await change({ expires_at: null })).body).toMatchObject({ model: 'fake/other', expires_at: null })
    expect((await change({ model: null })).body).toMatchObject({ model: null, expires_at: null })
    expect((await change({ model: 'fake/other' })).body).toMatchObject({ model: 'fake/other' })
    expect((await change({ model: 'fake/model' })).body).toMatchObject({ model: null })
    expect((await rest.send('GET', `/api/scheduled-tasks/${id}`)).body).toMatchObject({ model: null, expires_at: null })
  })

  it('blade 128, 157: does not expire in the past', async () => {
    const before = new Date(rest.clock.now() - 1).toISOString()
    const refused = { status: 422, body: { detail: 'expires_at: must be in the future' } }
    expect(await create({ expires_at: before })).toMatchObject(refused)
    const { id } = (await create({})).body
    expect(await rest.send('PATCH', `/api/scheduled-tasks/${id}`, { body: { expires_at: before } })).toMatchObject(
      refused,
    )
    expect((await rest.send('GET', '/api/scheduled-tasks')).body).toHaveLength(1)
  })

  it('blade 128: is not changed to an unknown model', async () => {
    const { id } = (await create({ model: 'fake/other' })).body
    const refused = await rest.send('PATCH', `/api/scheduled-tasks/${id}`, {
      body: { model: 'fake/nothing', title: 'x' },
    })
    expect([refused.status, refused.body]).toEqual([422, { detail: expect.stringMatching(/^model: /) }])
    const { body } = await rest.send('GET', `/api/scheduled-tasks/${id}`)
    expect(body).toMatchObject({ title: 'Hourly', model: 'fake/other' })
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ANN, openRest, type Rest } from './test-support/open-rest.ts'

let rest: Rest
beforeEach(async () => {
  rest = await openRest()
})
afterEach(() => rest.close())

const KEYS = '/api/user/api-keys'
const make = async (name = 'My key') => (await rest.send('POST', `${KEYS}/`, { body: { name } })).body

describe('API keys', () => {
  it('blade 123: are made with all their fields and a plaintext that opens the door', async () => {
    const { status, body } = await rest.send('POST', `${KEYS}/`, { body: { name: 'My key' } })
    const { plaintext, key, ...fields } = body
    expect(status).toBe(201)
    expect(fields).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'My key',
      masked: `sk-blade-v2-...${plaintext.slice(-4)}`,
      created_at: '2026-01-01T00:00:00.000Z',
      last_used_at: null,
    })
    expect(key).toEqual({ ...fields, plaintext: null })
    expect((await rest.send('GET', '/api/auth/me', { key: plaintext })).body.id).toBe('ann')
  })

  it('blade 124: never show themselves again', async () => {
    const made = await make()
    const answers = [
      await rest.send('GET', `${KEYS}/`),
      await rest.send('GET', `${KEYS}/${made.id}`),
      await rest.send('PATCH', `${KEYS}/${made.id}`, { body: { name: 'Another name' } }),
    ]
    for (const { status, text } of answers) {
      expect(status).toBe(200)
      expect(text).not.toContain(made.plaintext)
      expect(text).toContain(made.masked)
    }
    expect(answers[2]?.body).toEqual({ ...made.key, name: 'Another name' })
    expect((await rest.send('GET', `${KEYS}/${made.id}`)).body.name).toBe('Another name')
  })

  it('blade 125: have names of 1 to 50 characters', async () => {
    const { id } = await make('x'.repeat(50))
    for (const name of ['', ' ', 'x'.repeat(51), 7, null, 'a\nb', '\ud800']) {
      expect((await rest.send('POST', KEYS, { body: { name } })).status).toBe(422)
      expect((await rest.send('PATCH', `${KEYS}/${id}`, { body: { name } })).status).toBe(422)
    }
    expect((await rest.send('GET', KEYS)).body).toHaveLength(2)
  })

  it('blade 126: end immediately, and show when they were last used', async () => {
    const { id, plaintext } = await make()
    rest.clock.advance(60_000)
    expect((await rest.send('GET', '/api/sessions', { key: plaintext })).status).toBe(200)
    expect((await rest.send('GET', `${KEYS}/${id}`)).body.last_used_at).toBe('2026-01-01T00:01:00.000Z')
    const { status, text } = await rest.send('DELETE', `${KEYS}/${id}`)
    expect([status, text]).toEqual([204, ''])
    expect((await rest.send('GET', '/api/sessions', { key: plaintext })).status).toBe(401)
    for (const method of ['GET', 'DELETE']) {
      const { status: gone, body } = await rest.send(method, `${KEYS}/${id}`)
      expect([gone, body]).toEqual([404, { detail: 'There is no such API key.' }])
    }
  })

  it('blade 127: are listed with and without a slash, and do not include sign-ins of browsers', async () => {
    const { record } = await rest.keys.signIn(ANN)
    const made = await make()
    const bare = await rest.send('GET', KEYS)
    expect(bare.body.map(({ id }: { id: string }) => id)).toHaveLength(2)
    expect(bare.body).toContainEqual(made.key)
    expect((await rest.send('GET', `${KEYS}/`)).text).toBe(bare.text)
    expect((await rest.send('DELETE', `${KEYS}/${record.id}`)).status).toBe(404)
  })
})

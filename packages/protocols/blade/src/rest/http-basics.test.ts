import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findUnbuilt } from './unbuilt-paths.ts'
import { BEN, openRest, type Rest } from './test-support/open-rest.ts'

let rest: Rest
beforeEach(async () => {
  rest = await openRest()
})
afterEach(() => rest.close())

const UNKNOWN = '01900000-0000-7000-8000-000000000000'

describe('without a key', () => {
  it('blade 1: the version is reported as strings', async () => {
    const { status, body } = await rest.send('GET', '/api/version', { key: null })
    expect([status, body]).toEqual([200, { version: '9.8.7', min_sdk: expect.any(String) }])
  })

  it('blade 2: health is reported', async () => {
    const { status, body } = await rest.send('GET', '/api/health', { key: null })
    expect([status, body]).toEqual([200, { status: 'ok' }])
  })

  it('blade 3: everything about sessions is 401 with a text', async () => {
    const asked = [
      ['GET', '/api/sessions'],
      ['POST', '/api/sessions'],
      ['GET', `/api/sessions/${UNKNOWN}`],
      ['PATCH', `/api/sessions/${UNKNOWN}`],
      ['DELETE', `/api/sessions/${UNKNOWN}`],
      ['GET', `/api/sessions/${UNKNOWN}/messages`],
      ['POST', `/api/sessions/${UNKNOWN}/compact`],
      ['GET', `/api/sessions/${UNKNOWN}/checkpoints`],
      ['GET', '/api/nowhere'],
    ] as const
    for (const [method, path] of asked) {
      const { status, body, headers } = await rest.send(method, path, { key: null })
      expect([path, status, body, headers.get('www-authenticate')]).toEqual([
        path,
        401,
        { detail: expect.any(String) },
        'Bearer',
      ])
    }
  })

  it('blade 4: a malformed token is refused', async () => {
    for (const authorization of ['Bearer', 'Bearer nobody', 'Basic ann', 'ann']) {
      const { status, body } = await rest.send('GET', '/api/sessions', { key: null, headers: { authorization } })
      expect([status, body]).toEqual([401, { detail: 'Unauthorized' }])
    }
  })
})

describe('an answer', () => {
  it('blade 5: to an unknown session is 404 with a text, whatever its id looks like', async () => {
    const ids = [UNKNOWN, 'x', '..%2f..', '%00', '%E0%A4%A', UNKNOWN.slice(1), 'x'.repeat(4_000)]
    for (const id of ids) {
      const { status, body } = await rest.send('GET', `/api/sessions/${id}`)
      expect([status, body]).toEqual([404, { detail: 'There is no such session.' }])
    }
  })

  it('blade 7: to a wrong request is 422, names the field, and is a text', async () => {
    const wrong: readonly (readonly [body: unknown, detail: RegExp])[] = [
      [{ intent: 7 }, /^intent: /],
      [{ memory_enabled: 'yes' }, /^memory_enabled: /],
      [{ disable_tools: 'Bash' }, /^disable_tools: /],
      [{ disable_tools: [1] }, /^disable_tools\.0: /],
      [{ solution_id: 'nobody' }, /^solution_id: /],
      [{ biz_role_id: 'nobody' }, /^biz_role_id: /],
      [{ model: 'no/such' }, /^model: /],
      [[], /^body: /],
      ['x', /^body: /],
    ]
    for (const [body, detail] of wrong) {
      const answer = await rest.send('POST', '/api/sessions', { body })
      expect([body, answer.status, answer.body]).toEqual([body, 422, { detail: expect.stringMatching(detail) }])
    }
    const broken = await rest.send('POST', '/api/sessions', { text: '{' })
    expect([broken.status, broken.body]).toEqual([422, { detail: 'body: not valid JSON' }])
  })

  it('says that a body is too large, is not JSON, or came too soon', async () => {
    const large = await rest.send('POST', '/api/sessions', { body: { x: 'x'.repeat(10_000) } })
    expect([large.status, large.body]).toEqual([413, { detail: 'body: larger than 10000 bytes' }])
    const plain = await rest.send('POST', '/api/sessions', { text: '{}', headers: { 'content-type': 'text/plain' } })
    expect([plain.status, plain.body]).toEqual([415, { detail: 'Send application/json.' }])
    const hasty = await rest.send('GET', '/api/sessions', { key: 'hasty' })
    expect([hasty.status, hasty.headers.get('retry-after')]).toEqual([429, '7'])
  })

  it('of an unexpected kind shows only an id', async () => {
    rest.memories.listMemories = () => Promise.reject(new Error('secret'))
    const { status, body } = await rest.send('GET', '/api/memories')
    expect([status, body]).toEqual([500, { detail: 'Internal error. Its id in the log is error-1.' }])
    expect(rest.reported).toEqual([new Error('secret')])
  })

  it('blade 10: to a route that this server does not support is 501, to an unknown one 404, both in JSON', async () => {
    const unbuilt = [
      ['GET', '/api/config'],
      ['PUT', `/api/sessions/${UNKNOWN}/env`],
      ['POST', `/api/sessions/${UNKNOWN}/skills:upload`],
      ['POST', `/api/sessions/${UNKNOWN}/upload/`],
      ['GET', `/api/sessions/${UNKNOWN}/files/a/b.txt`],
      ['POST', `/api/sessions/${UNKNOWN}/files/a/b.txt/rename`],
      ['POST', '/api/sessions/import'],
      ['POST', '/api/sessions/tokenize/prompt'],
      ['GET', '/api/prod_agents'],
      ['POST', '/api/prod_agents/7/start-session'],
      ['PUT', '/api/prod_solution/dag/7'],
      ['GET', '/api/admin/admins'],
      ['DELETE', '/api/payloads/7/annotations/8'],
    ] as const
    for (const [method, path] of unbuilt) {
      const { status, body } = await rest.send(method, path)
      expect([path, status, body]).toEqual([path, 501, { detail: 'This server does not have this operation.' }])
    }
    for (const path of ['/api/nowhere', '/api/chat', '/api/v1/sessions', '/api/sessions/x/y/z', '/api']) {
      const { status, body } = await rest.send('GET', path)
      expect([path, status, body]).toEqual([path, 404, { detail: 'There is no such path.' }])
    }
    expect((await rest.send('PUT', '/api/sessions', { body: {} })).status).toBe(404)
    const theirs = await rest.send('GET', '/api/theirs/thing', { key: null })
    expect([theirs.status, theirs.body]).toEqual([404, undefined])
    expect((await rest.send('GET', '/api/theirsx')).body).toEqual({ detail: 'There is no such path.' })
  })

  it('blade 10: to a share link needs no key', async () => {
    for (const path of ['/api/share/x', '/api/share/x/']) {
      const { status, body } = await rest.send('GET', path, { key: null })
      expect([path, status, body]).toEqual([path, 501, { detail: 'This server does not have this operation.' }])
    }
    for (const path of ['/api/share', '/api/share/x/y', `/api/sessions/${UNKNOWN}/share/x`]) {
      expect([path, (await rest.send('GET', path, { key: null })).status]).toEqual([path, 401])
    }
  })

  it('blade 10: a path is one of those by method and all of its parts', () => {
    expect(findUnbuilt('GET', '/api/skills')).toBeDefined()
    expect(findUnbuilt('GET', '/api/skills/org/name')).toBeDefined()
    expect(findUnbuilt('POST', '/api/skills')).toBeUndefined()
    expect(findUnbuilt('GET', '/api/configuration')).toBeUndefined()
    expect(findUnbuilt('GET', `/api/sessions/${UNKNOWN}/tasks/7`)).toBeUndefined()
  })
})

describe('about the server', () => {
  it('blade 11: the current user has an id, a name, no picture, and is there since the first key', async () => {
    const { createdAt } = (await rest.keys.createApiKey(BEN, 'later')).record
    rest.clock.advance(60_000)
    await rest.keys.createApiKey(BEN, 'last')
    const { body } = await rest.send('GET', '/api/auth/me', { key: 'ben' })
    const since = new Date(createdAt).toISOString()
    expect(body).toEqual({ id: 'ben', username: 'ben', avatar_url: null, created_at: since })
  })

  it('blade 12: the default model is one of the models', async () => {
    const { body } = await rest.send('GET', '/api/config/models')
    expect(body).toEqual({
      default: 'fake/model',
      models: [
        { id: 'fake/model', name: 'fake/model', thinking: [] },
        { id: 'fake/other', name: 'Another model', thinking: [] },
      ],
    })
  })

  it('solutions are its agents, with their roles', async () => {
    const { body } = await rest.send('GET', '/api/solutions/')
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(['tester', 'other'])
    expect(body.items[0]).toEqual({
      id: 'tester',
      name: 'The tester',
      version: '1.2.3',
      description: 'Tests.',
      layout_type: 'default',
      initial_message: null,
      data: null,
      roles: [],
    })
    const foreign = await rest.send('GET', '/api/solutions/tester/biz-roles?user_id=ben')
    expect([foreign.status, foreign.body.detail]).toEqual([403, 'You can only list your own roles.'])
    const unknown = await rest.send('GET', '/api/solutions/nobody/biz-roles')
    expect([unknown.status, unknown.body]).toEqual([404, { detail: 'There is no such solution.' }])
  })
})

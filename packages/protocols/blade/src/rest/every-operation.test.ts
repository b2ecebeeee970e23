// Every operation of the document, whatever it is: one that is added later is tried too.
import { asSessionId } from '@polylogue/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DocumentedOperation, OpenApiDocument } from '../openapi/to-open-api.ts'
import { fileNote } from '../projection/user-turn.ts'
import type { Json } from '../wire.ts'
import { ANN, BEN, openRest, type Rest } from './test-support/open-rest.ts'
import { sampleOf } from './test-support/sample-of.ts'

interface Tried {
  readonly method: string
  readonly path: string
  readonly operation: DocumentedOperation
}

let rest: Rest
let tried: readonly Tried[]
beforeEach(async () => {
  // Room for every text that is allowed, so that what is longer is refused for that.
  const sentFiles = new Map([['uploads/a.txt', Buffer.from('hi')]])
  rest = await openRest({ bodyBytes: 200_000, sentFiles })
  const document: OpenApiDocument = (await rest.send('GET', '/openapi.json', { key: null })).body
  tried = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
})
afterEach(() => rest.close())

interface Ids {
  readonly session: string
  readonly memory: string
  readonly key: string
  readonly task: string
}

const UNKNOWN: Ids = {
  session: '00000000-0000-7000-8000-999999999999',
  memory: '987654321',
  key: 'key_none',
  task: 'task_none',
}

/** What the parameters of a path are ids of. A new one must be decided on. */
function fill(path: string, ids: Ids): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'sid') return ids.session
    if (name === 'key_id') return ids.key
    if (name === 'task_id') return ids.task
    if (name === 'hash') return IMAGE.hash
    if (name === 'path') return 'uploads/a.txt'
    if (name === 'id' && path.startsWith('/api/memories/')) return ids.memory
    if (name === 'id' && path.startsWith('/api/solutions/')) return 'tester'
    throw new Error(`say whose {${name}} is in ${path}`)
  })
}

/** What belongs to nobody. */
const isOfAll = ({ path }: Tried): boolean => /^\/api\/(?:solutions|version|health|config|auth)\b/.test(path)

const bodyOf = ({ operation }: Tried, options = {}): Json | undefined => {
  const schema = operation.requestBody?.content['application/json'].schema
  return schema === undefined ? undefined : sampleOf(schema, options)
}

/** A path with the parameters of a query that it cannot do without. */
const asked = ({ path, operation }: Tried, ids: Ids): string => {
  const needed = operation.parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const query = needed.map(({ name, schema }) => `${name}=${encodeURIComponent(String(sampleOf(schema)))}`).join('&')
  return fill(path, ids) + (query === '' ? '' : `?${query}`)
}

const IMAGE = { hash: 'abc', mediaType: 'image/png', bytes: Buffer.from('of nobody') }

/** A session with an image and a file. */
async function createAll(key: string): Promise<Ids> {
  const session = await rest.send('POST', '/api/sessions', { body: { intent: `of ${key}` }, key })
  await rest.engine.execute({
    type: 'start-turn',
    userId: key === 'ann' ? ANN : BEN,
    sessionId: asSessionId(session.body.session_id),
    content: [
      { type: 'image', source: { type: 'blob', hash: IMAGE.hash, mediaType: IMAGE.mediaType } },
      { type: 'text', text: fileNote('uploads/a.txt') },
    ],
    blobs: [IMAGE],
    whenRunning: 'refuse',
  })
  await rest.untilRecorded(session.body.session_id, ({ event }) => event.type === 'turn.ended')
  const memory = await rest.send('POST', '/api/memories', { body: { content: `of ${key}` }, key })
  const made = await rest.send('POST', '/api/user/api-keys', { body: { name: `of ${key}` }, key })
  const daily = { title: `of ${key}`, prompt: `of ${key}`, cron: '0 9 * * *' }
  const task = await rest.send('POST', '/api/scheduled-tasks', { body: daily, key })
  return { session: session.body.session_id, memory: String(memory.body.id), key: made.body.id, task: task.body.id }
}

const withoutIds = (text: string, ids: Ids): string =>
  Object.values(ids).reduce((left: string, id: string) => left.replaceAll(id, '…'), text)

describe('of every operation', () => {
  it("T1, C8: another user's data looks as if it did not exist, and is not changed", async () => {
    const mine = await createAll('ann')
    const before = await snapshot(mine)
    for (const one of tried.filter(({ path }) => path.includes('{'))) {
      if (isOfAll(one)) continue
      const sent = { body: bodyOf(one), key: 'ben' }
      const foreign = await rest.send(one.method, fill(one.path, mine), sent)
      const unknown = await rest.send(one.method, fill(one.path, UNKNOWN), sent)
      const place = `${one.method} ${one.path}`
      expect([place, foreign.status, withoutIds(foreign.text, mine)]).toEqual([
        place,
        404,
        withoutIds(unknown.text, UNKNOWN),
      ])
      expect([...foreign.headers.keys()]).toEqual([...unknown.headers.keys()])
    }
    expect(await snapshot(mine)).toEqual(before)
  })

  it('T1, C8: others can read a shared session, but only its owner can change it', async () => {
    const mine = await createAll('ann')
    await rest.send('PATCH', `/api/sessions/${mine.session}/sharing`, { body: { shared: true } })
    const before = await snapshot(mine)
    for (const one of tried.filter(({ path }) => path.includes('{sid}'))) {
      const { status, body } = await rest.send(one.method, asked(one, mine), { body: bodyOf(one), key: 'ben' })
      const isRead = one.method === 'GET'
      expect([one.path, status, typeof body?.detail]).toEqual([
        one.path,
        isRead ? 200 : 403,
        isRead ? 'undefined' : 'string',
      ])
    }
    expect(await snapshot(mine)).toEqual(before)
  })

  it('T1, C8: what lists and makes things shows nothing of another user', async () => {
    const mine = await createAll('ann')
    for (const one of tried.filter(({ path }) => !path.includes('{'))) {
      const { text, status } = await rest.send(one.method, asked(one, mine), { body: bodyOf(one), key: 'ben' })
      expect([one.path, status < 300]).toEqual([one.path, true])
      for (const word of [mine.session, mine.key, mine.task, 'of ann']) expect(text).not.toContain(word)
    }
  })

  it('without a key only those that say so answer', async () => {
    const mine = await createAll('ann')
    const open: string[] = []
    for (const one of tried) {
      const { status } = await rest.send(one.method, fill(one.path, mine), { body: bodyOf(one), key: null })
      if (status === 200) open.push(one.path)
      expect([one.path, status]).toEqual([one.path, one.operation.security === undefined ? 401 : 200])
    }
    expect(open).toEqual(['/api/version', '/api/health'])
  })

  it('the owner gets the documented status', async () => {
    for (const one of tried) {
      const { status, body } = await rest.send(one.method, fill(one.path, await createAll('ann')), {
        body: bodyOf(one, { isFull: false }),
      })
      const documented = Object.keys(one.operation.responses).map(Number)
      expect([one.path, documented.includes(status)]).toEqual([one.path, true])
      const detail = status < 300 ? undefined : body.detail
      expect([one.path, typeof detail]).toEqual([one.path, status < 300 ? 'undefined' : 'string'])
    }
  })

  it('B3: a bad body is 422 with a text, and nothing of it gets in', async () => {
    const mine = await createAll('ann')
    const before = await snapshot(mine)
    for (const one of tried.filter(({ operation }) => operation.requestBody !== undefined)) {
      const path = fill(one.path, mine)
      const broken = ['', '{', '[]', '[{}]', '"x"', '7', 'null', '{"a":}', '\u0000', '{"a":1}{"b":2}']
      for (const text of broken) {
        const { status, body } = await rest.send(one.method, path, { text })
        expect([path, text, status, typeof body.detail]).toEqual([path, text, 422, 'string'])
      }
      const schema = one.operation.requestBody?.content['application/json'].schema as {
        readonly properties: { readonly [name: string]: Json }
      }
      const good = bodyOf(one) as { readonly [name: string]: Json }
      for (const field of Object.keys(schema.properties)) {
        const { maxLength = 0 } = schema.properties[field] as { readonly maxLength?: number }
        const tooLong = 'x'.repeat(Math.max(5_000, maxLength + 1))
        for (const value of [{ $gt: {} }, [[]], Number.MAX_SAFE_INTEGER + 2, tooLong]) {
          const { status, body } = await rest.send(one.method, path, { body: { ...good, [field]: value } })
          expect([path, field, status, typeof body.detail]).toEqual([path, field, 422, 'string'])
          expect(body.detail.length).toBeLessThan(500)
          expect(body.detail).toMatch(new RegExp(`^${field}(?:\\.[^:]*)?: .*(?:expected|must|there is no)`))
        }
      }
      const poisoned = `{"__proto__":{"polluted":true},${JSON.stringify(good).slice(1)}`.replace(',}', '}')
      await rest.send(one.method, fill(one.path, UNKNOWN), { text: poisoned, key: 'ben' })
      expect(Reflect.get({}, 'polluted')).toBeUndefined()
    }
    expect(await snapshot(mine)).toEqual(before)
    expect(rest.reported).toEqual([])
  })

  it('B3: a bad query is 422 with a text', async () => {
    const mine = await createAll('ann')
    for (const one of tried) {
      for (const { name, in: place, schema } of one.operation.parameters) {
        if (place !== 'query' || JSON.stringify(schema) === '{"type":"string"}') continue
        for (const value of ['%00'.repeat(600), 'x'.repeat(5_000), '-1e999']) {
          const { status, body } = await rest.send(one.method, `${fill(one.path, mine)}?${name}=${value}`)
          if (status === 200) continue
          expect([one.path, name, value, status, typeof body.detail]).toEqual([one.path, name, value, 422, 'string'])
        }
      }
      const many = Array.from({ length: 2_000 }, (_, index) => `k${index}=1`).join('&')
      const { status } = await rest.send(one.method, `${fill(one.path, UNKNOWN)}?${many}`, { body: bodyOf(one) })
      expect([one.path, status < 500]).toEqual([one.path, true])
    }
    expect(rest.reported).toEqual([])
  })
})

async function snapshot({ session, memory, key, task }: Ids): Promise<unknown> {
  const own = [`/api/sessions/${session}`, `/api/memories/${memory}`, `/api/user/api-keys/${key}`]
  const paths = [...own, `/api/scheduled-tasks/${task}`, '/api/scheduled-tasks']
  const answers = await Promise.all(paths.map(async (path) => (await rest.send('GET', path)).body))
  return { answers, keys: (await rest.keys.list(ANN)).map(({ id, name }) => ({ id, name })) }
}

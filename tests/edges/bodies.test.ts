// Bodies that are too large, too deep or too strange. None of them may cost more than a refusal.
import { AsyncLocalStorage } from 'node:async_hooks'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSession } from '../support/aap-session.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { bearer, type EdgeServer, startEdgeServer } from './edge-server.ts'
import { exchangeRaw, openRaw, rawRequest, readReply } from './raw-socket.ts'

const MEBIBYTE = 1024 * 1024
let server: EdgeServer
let sessionId: string

beforeAll(async () => {
  server = await startEdgeServer()
  sessionId = (await openSession(server.client())).id
})
afterAll(() => server.stop())

interface Refusal {
  readonly error: string
}

const post = (path: string, body: string) =>
  exchangeJson<Refusal>({
    method: 'POST',
    url: server.url + path,
    headers: { ...bearer(server.key), 'content-type': 'application/json' },
    body,
  })

/** Every route that reads a body, with one that it takes as far as its shape goes. */
const takers = (): readonly (readonly [string, (value: string) => string])[] => [
  ['/api/polylogue/keys', (value) => `{"name":"x","extra":${value}}`],
  ['/aap/v3/sessions', (value) => `{"agent":{"name":"scripted"},"extra":${value}}`],
  [
    `/aap/v3/sessions/${sessionId}/turns`,
    (value) => `{"messages":[{"role":"user","content":"say hi"}],"extra":${value}}`,
  ],
]

const isSelfStill = async () => {
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
  expect((await server.client().meta()).status).toBe(200)
}

describe('S7, B2: the shape of a body', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

  it('S7: is taken at every limit and refused right behind it', async () => {
    const key = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`
    const objects = (last: number) => `[${`${key(10_000)},`.repeat(24)}${key(last)}]`
    const [, keysRoute] = takers()
    const [path, wrap] = keysRoute ?? ['', String]
    // The wrapping object is one level and has keys of its own: agent, name, extra.
    const cases: readonly (readonly [string, number, string])[] = [
      [wrap(nested(63)), 201, ''],
      [wrap(nested(64)), 400, 'body: nested deeper than 64 levels'],
      [wrap(key(10_000)), 201, ''],
      [wrap(key(10_001)), 400, 'body: more than 10000 keys in one object'],
      [wrap(objects(9_997)), 201, ''],
      [wrap(objects(9_998)), 400, 'body: more than 250000 keys'],
      [wrap(`"${'x'.repeat(8 * MEBIBYTE)}"`), 201, ''],
      [wrap(`"${'x'.repeat(8 * MEBIBYTE + 1)}"`), 400, 'body: a string longer than 8388608 characters'],
      [wrap(`1${'0'.repeat(63)}`), 201, ''],
      [wrap(`1${'0'.repeat(64)}`), 400, 'body: a number of more than 64 characters'],
      [wrap('1e308'), 201, ''],
      [wrap('1e309'), 400, 'body: a number too large for a double'],
    ]
    for (const [body, status, error] of cases) {
      const answer = await post(path, body)
      expect([answer.status, answer.body.error ?? '']).toEqual([status, error])
    }
  })

  it('S7: text of a prompt may have a mebibyte in all its parts, and not one character more', async () => {
    const send = (parts: readonly number[]) =>
      post(
        `/aap/v3/sessions/${sessionId}/turns`,
        JSON.stringify({
          messages: [{ role: 'user', content: parts.map((length) => ({ type: 'text', text: 'x'.repeat(length) })) }],
        }),
      )
    expect((await send([MEBIBYTE])).status).toBe(200)
    expect((await send([MEBIBYTE / 2, MEBIBYTE / 2])).status).toBe(200)
    const refused = await send([MEBIBYTE / 2, MEBIBYTE / 2 + 1])
    expect(refused.status).toBe(400)
    expect(refused.body.error).toBe('messages[0].content: the text is longer than 1048576 characters')
  })

  it('S7: an image may be longer than any text', async () => {
    const url = `data:image/png;base64,${Buffer.alloc(3 * MEBIBYTE).toString('base64')}`
    const content = [{ type: 'image', url }]
    const answer = await post(
      `/aap/v3/sessions/${sessionId}/turns`,
      JSON.stringify({ messages: [{ role: 'user', content }] }),
    )
    expect(answer.status).toBe(200)
  })

  it('B2: every other monster is 400 on every route, and costs no time', async () => {
    const monsters = [
      '['.repeat(65) + ']'.repeat(65),
      '{"a":'.repeat(65) + '1' + '}'.repeat(65),
      '['.repeat(20_000),
      '[{"a":'.repeat(5_000),
      '1e999',
      '-1e999',
      '1'.repeat(40_000),
      `-0.${'0'.repeat(40_000)}1`,
    ]
    for (const [path, wrap] of takers()) {
      for (const monster of monsters) {
        const startedAt = performance.now()
        const answer = await post(path, wrap(monster))
        expect([path, answer.status]).toEqual([path, 400])
        expect(answer.text.length).toBeLessThan(500)
        expect(performance.now() - startedAt).toBeLessThan(1_000)
      }
    }
    await isSelfStill()
  })

  it('B2: a million levels and a million keys are refused before they are built', async () => {
    const path = `/aap/v3/sessions/${sessionId}/turns`
    for (const body of [
      '['.repeat(1_000_000),
      `{${'"k":1,'.repeat(1_000_000)}"k":1}`,
      `[${'{},'.repeat(1_000_000)}{}]`,
    ]) {
      expect((await post(path, body)).status).toBe(400)
    }
  })

  it('B2: odd numbers and double keys are harmless', async () => {
    for (const [path, wrap] of takers()) {
      for (const value of ['-0', '1e-999', '{"a":1,"a":2}', '12345678901234567890', '"\\ud800"', '"\\u0000"']) {
        expect([200, 201], `${path} ${value}`).toContain((await post(path, wrap(value))).status)
      }
    }
  })

  it('B2: a body that is not JSON, or not UTF-8, is 400', async () => {
    for (const [path] of takers()) {
      for (const body of [
        '',
        ' ',
        '{',
        '{"a":1}}',
        '{"a":1',
        "{'a':1}",
        '{"a":NaN}',
        '{"a":01}',
        '\u0000',
        '[1,]',
        '"',
      ]) {
        expect([path, body, (await post(path, body)).status]).toEqual([path, body, 400])
      }
      const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
      const head = rawRequest('POST', path, [
        `Host: ${server.host}`,
        `Authorization: Bearer ${server.key}`,
        'Content-Type: application/json',
        `Content-Length: ${bytes.length}`,
      ])
      expect((await exchangeRaw(server, Buffer.concat([Buffer.from(head), bytes]))).status).toBe(400)
    }
  })
})

describe('C21: depth where a stack overflow would be fatal', () => {
  it('C21: deep bodies are refused while asynchronous context is tracked', async () => {
    const storage = new AsyncLocalStorage<string>()
    await storage.run('tracked', async () => {
      for (const depth of [65, 1_000, 4_500, 20_000, 100_000]) {
        for (const [path, wrap] of takers()) {
          const body = wrap('['.repeat(depth) + ']'.repeat(depth))
          // Our own small routes refuse the largest of them by its size.
          expect([400, 413]).toContain((await post(path, body)).status)
        }
      }
      expect(storage.getStore()).toBe('tracked')
    })
    await isSelfStill()
  })

  it('C21: data at the depth limit is stored, listed and read again', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50)}1${'}'.repeat(50)}`) as Record<string, unknown>
    const session = await openSession(server.client(), {
      clientTools: [{ name: 'deep', description: '', parameters: { type: 'object', deep } }],
    })
    expect(JSON.stringify(await session.read())).toContain('"a":{"a":{"a":')
  })
})

describe('C25: prototypes', () => {
  it('C25: a call whose id is a special name is settled like any other', async () => {
    for (const id of ['__proto__', 'constructor', 'toString']) {
      const script = `call ${id} echo {"msg":"x"}\n---\nsay done`
      const body = { messages: [{ role: 'user', content: script }], agent: { tools: [{ name: 'echo', trust: true }] } }
      const answer = await post(`/aap/v3/sessions/${sessionId}/turns`, JSON.stringify(body))
      expect([id, answer.status, answer.text]).toEqual([id, 200, expect.stringMatching(/"end_turn".*"done"/)])
    }
  })

  it('C25: keys with a special name change nothing, at any place', async () => {
    // A frozen prototype turns an attempt that would succeed silently into an error that somebody sees.
    Object.freeze(Object.prototype)
    const evil = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"prototype":{"polluted":1}}'
    for (const [path, wrap] of takers()) expect([200, 201]).toContain((await post(path, wrap(evil))).status)
    const options = '"options":{"__proto__":"x","constructor":"x","language":"French"}'
    const created = await post('/aap/v3/sessions', `{"agent":{"name":"scripted",${options}}}`)
    expect(created.status).toBe(201)
    const tool = `{"name":"t","description":"","parameters":${evil}}`
    const turn = `{"messages":[{"role":"user","content":"call c1 echo ${evil.replaceAll('"', '\\"')}"}],"tools":[${tool}]}`
    expect((await post(`/aap/v3/sessions/${sessionId}/turns`, turn)).status).toBe(200)
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    for (const name of names) {
      expect((await post('/aap/v3/sessions', JSON.stringify({ agent: { name } }))).status).toBe(400)
      const url = `${server.url}/aap/v3/sessions?after=${name}&${name}=1&${name}[polluted]=1`
      expect((await exchangeJson({ method: 'GET', url, headers: bearer(server.key) })).status).toBe(400)
      const path = `/aap/v3/sessions/${name}`
      expect((await exchangeJson({ method: 'GET', url: server.url + path, headers: bearer(server.key) })).status).toBe(
        404,
      )
    }
    await isSelfStill()
  })
})

describe('C19, B4: bodies over the limit', () => {
  const head = (path: string, lines: readonly string[], key = server.key): string =>
    `POST ${path} HTTP/1.1\r\nHost: ${server.host}\r\nAuthorization: Bearer ${key}\r\n` +
    `Content-Type: application/json\r\nConnection: close\r\n${lines.join('\r\n')}\r\n\r\n`

  it('B4: a declared length over the limit is 413 before the first byte of the body', async () => {
    for (const [path, limit] of [
      ['/api/polylogue/keys', 64 * 1024],
      ['/aap/v3/sessions', 32 * MEBIBYTE],
      [`/aap/v3/sessions/${sessionId}/cancel`, 4 * MEBIBYTE],
    ] as const) {
      const reply = await exchangeRaw(server, head(path, [`Content-Length: ${limit + 1}`]))
      expect([path, reply.status]).toEqual([path, 413])
    }
  })

  it('B4: chunks over the limit are 413 while they arrive, fast or slow', async () => {
    const socket = await openRaw(server)
    socket.write(head('/api/polylogue/keys', ['Transfer-Encoding: chunked']))
    const reply = readReply(socket)
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
    for (let sent = 0; sent < 100 && !socket.destroyed; sent++) {
      socket.write(chunk)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await reply).status).toBe(413)
  })

  it('B4: without a key nothing of a body is read', async () => {
    const socket = await openRaw(server)
    socket.write(head('/aap/v3/sessions', [`Content-Length: ${30 * MEBIBYTE}`], 'wrong'))
    expect((await readReply(socket)).status).toBe(401)
    expect(socket.bytesWritten).toBeLessThan(1_000)
  })

  it('B4, B8: compressed bodies of any size are refused with 415', async () => {
    const bomb = gzipSync('['.repeat(10 * MEBIBYTE))
    expect(bomb.length).toBeLessThan(20_000)
    for (const encoding of ['gzip', 'br', 'deflate', 'gzip, gzip, gzip', 'GZIP']) {
      for (const path of ['/aap/v3/sessions', '/api/polylogue/keys']) {
        const request = head(path, [`Content-Length: ${bomb.length}`, `Content-Encoding: ${encoding}`])
        const reply = await exchangeRaw(server, Buffer.concat([Buffer.from(request), bomb]))
        expect([path, encoding, reply.status]).toEqual([path, encoding, 415])
      }
    }
  })
})

// Whoever comes without a good key, under another name or from another page: nothing is done for them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askOwner } from '../support/owner-socket.ts'
import { exchangeJson, exchangeText } from '../support/http-exchange.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { runPolylogue } from '../cli/run-polylogue.ts'
import { bearer, type EdgeServer, startEdgeServer } from './edge-server.ts'
import { isOpen } from './open-routes.ts'
import { exchangeRaw, rawRequest } from './raw-socket.ts'

const APP = 'https://app.example'
let server: EdgeServer

beforeAll(async () => {
  server = await startEdgeServer({ allowOrigins: [APP] })
})
afterAll(() => server.stop())

describe('C1: an open local control plane', () => {
  it('C1: every route but health, page and sign-in is 401 without a key and with a wrong one', async () => {
    const closed = server.routes.filter((route) => !isOpen(route))
    expect(closed.length).toBeGreaterThan(20)
    const wrong = `sk-blade-v2-${'x'.repeat(43)}`
    for (const { method, path } of closed) {
      for (const headers of [{}, bearer(wrong), bearer(`${server.key}x`), bearer(server.key.slice(0, -1))]) {
        const answer = await exchangeText({ method, url: server.url + path, headers })
        expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 401`)
      }
    }
  })

  it('C1, S1: by default it listens on this machine alone', async () => {
    const dir = await createTempDir()
    const running = await startServerProcess({ dataDir: dir.path })
    try {
      const { port } = new URL(running.url)
      const listening = ['tcp', 'tcp6'].flatMap((table) => listenersOn(table, Number(port)))
      expect(listening.length).toBeGreaterThan(0)
      expect(listening.filter((address) => !/^(?:0100007F|0{24}01000000)$/.test(address))).toEqual([])
    } finally {
      await running.stop()
      await dir.remove()
    }
  })

  it('C1: on every address, with every key revoked, it exits with 78', async () => {
    const dir = await createTempDir()
    const first = await startEdgeServer({ dataDir: dir.path })
    const { body } = await askOwner(dir.path, { method: 'GET', path: '/api/polylogue/keys' })
    for (const { id } of (body as { keys: readonly { id: string }[] }).keys) {
      await askOwner(dir.path, { method: 'DELETE', path: `/api/polylogue/keys/${id}` })
    }
    await first.stop()
    const flags = ['serve', '--host', '0.0.0.0', '--port', '0', '--data', dir.path]
    const { code, stderr } = await runPolylogue(flags, { cwd: dir.path, input: '' })
    expect(code).toBe(78)
    expect(stderr).toContain('polylogue keys create')
    await dir.remove()
  })
})

/** Local addresses in hex, as Linux lists them. */
function listenersOn(table: string, port: number): string[] {
  const lines = readFileSync(join('/proc/self/net', table), 'utf8').split('\n').slice(1)
  return lines.flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/)
    const [address = '', hexPort = ''] = local.split(':')
    return state === '0A' && Number.parseInt(hexPort, 16) === port ? [address] : []
  })
}

describe('C2: DNS rebinding', () => {
  const foreign = (host: string, port: number): readonly string[] => [
    'evil.com',
    `evil.com:${port}`,
    `127.0.0.1.nip.io:${port}`,
    `localhost.evil.com:${port}`,
    `localhost:${port}.evil.com`,
    `user@${host}`,
    `${host}@evil.com`,
    `localhost.:${port}`,
    `LOCALHOST.:${port}`,
    `127.1:${port}`,
    `0.0.0.0:${port}`,
    `2130706433:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `127.0.0.2:${port}`,
    '127.0.0.1:',
    `127.0.0.1:0${port}`,
    `127.0.0.1:${port}, evil.com`,
    '',
  ]

  it('C2, S2: a request under any other name is 403 before its key is looked at, on every route', async () => {
    for (const host of foreign(server.host, server.port)) {
      for (const { method, path } of server.routes) {
        const bytes = rawRequest(method, path, [`Host: ${host}`, `Authorization: Bearer ${server.key}`])
        const reply = await exchangeRaw(server, bytes)
        expect(`${host} ${method} ${path} ${reply.status}`).toBe(`${host} ${method} ${path} 403`)
      }
    }
  })

  it('C2: two Host lines, or none, are 403', async () => {
    const hosts = [[`Host: ${server.host}`, 'Host: evil.com'], ['Host: evil.com', `Host: ${server.host}`], []]
    for (const lines of hosts) {
      const bytes = rawRequest('GET', '/api/polylogue/me', [...lines, `Authorization: Bearer ${server.key}`])
      expect((await exchangeRaw(server, bytes)).status).toBe(403)
    }
  })

  it('C2: the upgrade of a connection is refused the same way', async () => {
    const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==']
    for (const path of ['/', '/acp', '/socket.io/', '/aap/v3/sessions']) {
      const bytes = `GET ${path} HTTP/1.1\r\nHost: evil.com\r\n${upgrade.join('\r\n')}\r\nConnection: Upgrade\r\n\r\n`
      expect((await exchangeRaw(server, bytes)).status).toBe(403)
    }
  })

  it('C2: loopback names pass with any port', async () => {
    const ports = [`:${server.port}`, `:${server.port + 1}`, ':1', ':65535', '']
    for (const name of ['127.0.0.1', 'localhost', 'LocalHost', '[::1]']) {
      for (const port of ports) {
        const lines = [`Host: ${name}${port}`, `Authorization: Bearer ${server.key}`]
        const reply = await exchangeRaw(server, rawRequest('GET', '/api/polylogue/me', lines))
        expect(`${name}${port} ${reply.status}`).toBe(`${name}${port} 200`)
      }
    }
  })
})

describe('C3: pages of others that connect', () => {
  it('C3: an upgrade from a foreign origin, or from none that has a name, is 403', async () => {
    for (const origin of ['https://evil.example', 'null', `http://evil.com:${server.port}`, 'file://']) {
      const bytes =
        `GET /acp HTTP/1.1\r\nHost: ${server.host}\r\nOrigin: ${origin}\r\nUpgrade: websocket\r\n` +
        `Connection: Upgrade\r\nAuthorization: Bearer ${server.key}\r\n\r\n`
      expect((await exchangeRaw(server, bytes)).status).toBe(403)
    }
  })

  it('C3: a key of the right length and shape is still the wrong key', async () => {
    const garbage = server.key.replace(/.{8}$/, 'AAAAAAAA')
    for (const key of [garbage, server.key.toUpperCase(), server.key.split('').reverse().join('')]) {
      const { status } = await exchangeText({
        method: 'GET',
        url: `${server.url}/api/polylogue/me`,
        headers: bearer(key),
      })
      expect(status).toBe(401)
    }
  })

  it("C3: a client's identity comes from its credentials, never from its own claim", async () => {
    const anna = await server.createKey('anna')
    const claims = { 'x-user': 'local', 'x-scopes': 'admin', 'x-request-from': 'internal', 'x-forwarded-user': 'local' }
    const url = `${server.url}/api/polylogue/me?user=local&scope=admin`
    const { body } = await exchangeJson({ method: 'GET', url, headers: { ...bearer(anna), ...claims } })
    expect(body).toMatchObject({ user: 'anna' })
  })
})

describe('C4: pages of others that read', () => {
  const strangers = (ownPort: number): readonly string[] => [
    'null',
    'https://app.example.evil.com',
    'https://evil-app.example',
    'https://evil.com/app.example',
    'https://app.example:443',
    'https://app.example:8443',
    'http://app.example',
    'https://APP.example',
    'https://app.example.',
    'https://app.example/',
    'https://sub.app.example',
    'https://app.exampl',
    'https://app.examplee',
    // Cyrillic, as its bytes go over the wire.
    Buffer.from('https://\u0430pp.example').toString('latin1'),
    'https://xn--pp-6kc.example',
    'https://app.example@evil.com',
    'https://app.example evil.com',
    'https://app.example,https://evil.com',
    '*',
    'https://*',
    'https://*.example',
    'file://',
    'chrome-extension://abcdef',
    'capacitor://localhost',
    'http://localhost',
    'http://127.0.0.1',
    `http://localhost:${ownPort + 1}`,
    `https://localhost:${ownPort}`,
    `http://127.0.0.1:${ownPort}.evil.com`,
    `http://127.0.0.1.nip.io:${ownPort}`,
    `http://[::1]:${ownPort}`,
    `http://localhost.evil.com:${ownPort}`,
    `http://0.0.0.0:${ownPort}`,
    `http://127.1:${ownPort}`,
    `ws://127.0.0.1:${ownPort}`,
    `http://user@127.0.0.1:${ownPort}`,
    'about:blank',
    'data:',
    'https://evil.example',
    'javascript:alert(1)',
  ]

  it('C4, S3: none of forty other origins may read, on any route, with or without a preflight', async () => {
    expect(strangers(server.port)).toHaveLength(40)
    const paths = [...new Set(server.routes.map(({ path }) => path))]
    for (const [index, origin] of strangers(server.port).entries()) {
      // Every origin on some routes, every route with some origins; the decision is made before any of them.
      for (const path of paths.filter((_, place) => place % 8 === index % 8)) {
        for (const method of ['GET', 'OPTIONS']) {
          const headers = { origin, 'access-control-request-method': 'POST', ...bearer(server.key) }
          const answer = await exchangeText({ method, url: server.url + path, headers })
          expect([origin, method, path, answer.status]).toEqual([origin, method, path, 403])
          expect(answer.headers['access-control-allow-origin']).toBeUndefined()
        }
      }
    }
  })

  it('C4, S3: a listed origin is named exactly, and never gets credentials', async () => {
    for (const { method, path } of server.routes) {
      const { headers } = await exchangeText({ method, url: server.url + path, headers: { origin: APP } })
      expect([path, headers['access-control-allow-origin']]).toEqual([path, APP])
      expect(headers['access-control-allow-credentials']).toBeUndefined()
      expect(headers['vary']).toMatch(/\bOrigin\b/)
    }
  })

  it('C4: without a list, no other origin may read', async () => {
    const other = await startEdgeServer()
    const { status, headers } = await exchangeText({
      method: 'GET',
      url: `${other.url}/api/polylogue/me`,
      headers: { origin: APP, ...bearer(other.key) },
    })
    expect([status, headers['access-control-allow-origin']]).toEqual([403, undefined])
    await other.stop()
  })

  it('C4: the sign-in cookie is out of reach of scripts and other sites, and over HTTPS of other hosts too', async () => {
    const signIn = async (target: EdgeServer, origin: string, host: string) => {
      const code = new URL(target.signInUrl).hash.slice('#code='.length)
      const answer = await exchangeText({
        method: 'POST',
        url: `${target.url}/signin`,
        headers: { origin, host, 'content-type': 'application/json' },
        body: { code },
      })
      return String(answer.headers['set-cookie']?.[0])
    }
    const plain = await signIn(server, server.url, server.host)
    expect(plain).toMatch(/^polylogue_session_\d+=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/)

    const proxied = await startEdgeServer({ publicUrl: 'https://agents.example' })
    const secure = await signIn(proxied, 'https://agents.example', 'agents.example')
    expect(secure).toMatch(/^__Host-polylogue_session=[\w-]{43}; .*Path=\/; HttpOnly; SameSite=Strict; Secure$/)
    const me = (cookie: string) =>
      exchangeText({
        method: 'GET',
        url: `${proxied.url}/api/polylogue/me`,
        headers: { host: 'agents.example', 'sec-fetch-site': 'same-origin', cookie },
      })
    const [pair = ''] = secure.split(';')
    expect((await me(pair)).status).toBe(200)
    expect((await me(pair.replace('__Host-', ''))).status).toBe(401)
    await proxied.stop()
  })
})

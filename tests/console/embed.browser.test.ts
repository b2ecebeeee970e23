import { once } from 'node:events'
import { createServer as createHttps, type Server } from 'node:https'
import { request as requestHttp } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FrameLocator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { type Stage, openStage } from './stage.ts'

let stage: Stage
let keys: TempDir
let front: Server
let host: Server
let stranger: Server
let framed = ''
const addressOf = (server: Server, name: string): string => `https://${name}:${(server.address() as AddressInfo).port}`

/** A page that shows an address in a frame and keeps what it is told. */
const hostPage = (): string => `<!doctype html><title>host</title>
<iframe id=session src="${framed}" style="width: 900px; height: 600px"></iframe>
<script>
  globalThis.told = []
  addEventListener('message', (event) => told.push({ origin: event.origin, data: event.data }))
</script>`

beforeAll(async () => {
  keys = await createTempDir()
  const options = selfSigned(keys.path)
  const page = () =>
    createHttps(options, (_, response) => response.setHeader('content-type', 'text/html').end(hostPage()))
  host = page()
  stranger = page()
  let port = 0
  // What a proxy in front of the server does.
  front = createHttps(options, (incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const onward = requestHttp({ port, host: '127.0.0.1', method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  front.on('upgrade', (incoming, socket, head) => {
    const onward = connect(port, '127.0.0.1', () => {
      const lines = incoming.rawHeaders.reduce((text, word, at) => text + word + (at % 2 === 0 ? ': ' : '\r\n'), '')
      onward.write(`GET ${incoming.url} HTTP/1.1\r\n${lines}\r\n`)
      onward.write(head)
      onward.pipe(socket).pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  for (const server of [front, host, stranger]) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  stage = await openStage({
    onServing: (given) => void (port = given),
    config: () => ({
      publicUrl: addressOf(front, '127.0.0.1'),
      embed: { hosts: [addressOf(host, 'localhost')] },
    }),
  })
})
afterAll(async () => {
  await stage.close()
  for (const server of [front, host, stranger]) {
    server.closeAllConnections()
    server.close()
  }
  await keys.remove()
})

const ask = async (path: string, body?: object): Promise<Response> =>
  fetch(`${stage.server().url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${stage.server().localKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

async function createSession(): Promise<string> {
  const made = await ask('/api/polylogue/sessions', { agent: 'scripted', preset: 'full-access' })
  return ((await made.json()) as { sessionId: string }).sessionId
}

async function link(id: string): Promise<string> {
  const answer = await ask(`/api/polylogue/sessions/${id}/embed`, {})
  expect(answer.status).toBe(201)
  return ((await answer.json()) as { url: string }).url
}

interface Told {
  readonly origin: string
  readonly data: unknown
}
const toldOf = (page: Page): Promise<readonly Told[]> => page.evaluate('globalThis.told') as Promise<readonly Told[]>

async function openHost(address: string): Promise<{ readonly page: Page; readonly frame: FrameLocator }> {
  const page = await stage.newPage()
  await page.goto(address)
  return { page, frame: page.frameLocator('#session') }
}

const bridge = (id: string, action: string) =>
  call(id, 'echo', { msg: JSON.stringify({ ok: true, _meta: { bridge: { action, payload: { from: id } } } }) })

it('console 19: a listed page shows one session, and is told of each action once, never after a reload', async () => {
  const id = await createSession()
  framed = await link(id)
  const { page, frame } = await openHost(addressOf(host, 'localhost'))
  const composer = frame.locator('.composer textarea')
  await frame.locator('.chat[data-phase=ready]').waitFor()
  await composer.fill(script(bridge('b1', 'open-order'), '---', 'say Opened.'))
  await composer.press('Enter')
  await frame.locator('.agent-row .markdown:not(.plain)').getByText('Opened.').waitFor()
  const action = (call_id: string, name: string) => ({
    origin: addressOf(front, '127.0.0.1'),
    data: { type: 'polylogue:bridge', sessionId: id, action: name, payload: { from: call_id }, tool_call_id: call_id },
  })
  await expect.poll(() => toldOf(page)).toEqual([action('b1', 'open-order')])
  // The code was used; the cookie of this page is there.
  await page.reload()
  await frame.locator('.agent-row .markdown:not(.plain)').getByText('Opened.').waitFor()
  expect(await toldOf(page)).toEqual([])
  await composer.fill(script(bridge('b2', 'close-order'), '---', 'say Closed.'))
  await composer.press('Enter')
  await frame.locator('.agent-row .markdown:not(.plain)').getByText('Closed.').waitFor()
  await expect.poll(() => toldOf(page)).toEqual([action('b2', 'close-order')])
  // Nothing leads out of the session.
  expect(await frame.locator('.rail, .chat-header a, .mode, [aria-label="Edit the message"]').count()).toBe(0)
  const other = await createSession()
  expect(await frame.locator('body').evaluate(REACH(id, other))).toEqual([200, 403, 403, 403, 403, 403])
  await page.context().close()
})

const REACH = (id: string, other: string): string => `(async () => {
  const ask = (method, path) =>
    fetch(path, { method, headers: { 'content-type': 'application/json' }, ...(method !== 'GET' && { body: '{}' }) })
  const asked = await Promise.all([
    ask('GET', '/api/polylogue/sessions/${id}/turns'),
    ask('GET', '/api/polylogue/sessions/${other}/turns'),
    ask('GET', '/api/polylogue/sessions'),
    ask('PATCH', '/api/polylogue/sessions/${id}'),
    ask('POST', '/api/polylogue/keys'),
    ask('GET', '/aap/v3/sessions'),
  ])
  return asked.map(({ status }) => status)
})()`

const drawing = '<p id=x>waiting</p><script>x.textContent = "drawn " + (1 + 1)</script>'
const cardFor = (id: string, target: 'inline' | 'preview') =>
  call(id, 'echo', { msg: JSON.stringify({ ok: true, _meta: { ui: { resourceHTML: drawing, target, title: id } } }) })

it('console 18, 19: an embedded session shows its cards, below the listed host only', async () => {
  const id = await createSession()
  framed = await link(id)
  const { page, frame } = await openHost(addressOf(host, 'localhost'))
  await frame.locator('.chat[data-phase=ready]').waitFor()
  await frame
    .locator('.composer textarea')
    .fill(script(cardFor('c1', 'inline'), cardFor('c2', 'preview'), '---', 'say Drawn.'))
  await frame.locator('.composer textarea').press('Enter')
  for (const card of ['c1', 'c2']) {
    // The panel lies over a narrow chat, so it is opened by hand.
    if (card === 'c2') await frame.locator('.card-beside').click()
    await frame.locator(`[data-card=${card}] iframe`).first().contentFrame().getByText('drawn 2').waitFor()
  }
  await page.context().close()
  const opened = await ask(`/api/polylogue/sessions/${id}/cards/c1`, {})
  const { url } = (await opened.json()) as { url: string }
  framed = `${addressOf(front, '127.0.0.1')}${url}`
  const { page: other } = await openHost(addressOf(stranger, 'localhost'))
  const outside = other.frames().find((one) => one !== other.mainFrame())
  await expect.poll(() => outside?.url()).toMatch(/^chrome-error:/)
  await other.context().close()
})

it('console 19: a page that is not listed shows nothing, and a code opens its session only', async () => {
  const id = await createSession()
  framed = await link(id)
  const { page } = await openHost(addressOf(stranger, 'localhost'))
  const frame = page.frames().find((one) => one !== page.mainFrame())
  await expect.poll(() => frame?.url()).toMatch(/^chrome-error:/)
  expect(await toldOf(page)).toEqual([])
  await page.context().close()
  // The stranger's frame was refused before its script ran, so the code is still good; but not for another session.
  const code = new URL(framed).hash.slice('#code='.length)
  const signIn = async (path: string): Promise<number> => {
    const answer = await fetch(`${stage.server().url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: addressOf(front, '127.0.0.1') },
      body: JSON.stringify({ code }),
    })
    return answer.status
  }
  expect(await signIn('/signin')).toBe(401)
  expect(await signIn(`/embed/${await createSession()}/signin`)).toBe(401)
})

it('console 71: only the embedded page may be framed, and by the listed pages only', async () => {
  const policyOf = async (path: string): Promise<string> =>
    /frame-ancestors [^;]+/.exec((await ask(path)).headers.get('content-security-policy') ?? '')?.[0] ?? ''
  expect(await policyOf('/embed/x')).toBe(`frame-ancestors ${addressOf(host, 'localhost')}`)
  expect(await policyOf('/s/x')).toBe("frame-ancestors 'none'")
  expect(await policyOf('/')).toBe("frame-ancestors 'none'")
})

function selfSigned(folder: string): { readonly key: Buffer; readonly cert: Buffer } {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...made, '-keyout', key, '-out', cert, ...names], { stdio: 'ignore' })
  return { key: readFileSync(key), cert: readFileSync(cert) }
}

import { serve, type RunningServer } from '@polylogue/server'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startIdentityProvider, type IdentityProvider } from '../support/identity-provider.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { HttpBrowser } from './http-browser.ts'

let dir: TempDir
let provider: IdentityProvider
let server: RunningServer
let url: string

beforeAll(async () => {
  dir = await createTempDir()
  const port = await findFreePort()
  url = `http://127.0.0.1:${port}`
  provider = await startIdentityProvider(`${url}/signin/oidc/callback`)
  const { issuer, clientId, clientSecret } = provider
  const oidc = {
    issuer,
    clientId,
    clientSecret,
    title: 'Example',
    domain: 'example.com',
    users: { 'boss@partner.example': 'local', 'other@partner.example': 'mapped' },
    admins: ['Ada@Example.com'],
  }
  await writeFile(join(dir.path, 'polylogue.config.json'), JSON.stringify({ signIn: { oidc } }))
  server = await serve({
    dataDir: join(dir.path, 'data'),
    startDir: dir.path,
    configFile: join(dir.path, 'polylogue.config.json'),
    listen: { host: '127.0.0.1', port },
    log: 'silent',
  })
})
afterAll(async () => {
  await server.stop(0)
  await provider.close()
  await dir.remove()
})

const findFreePort = async (): Promise<number> => {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

const me = (browser: HttpBrowser, path = '/me'): Promise<Response> =>
  fetch(`${url}/api/polylogue${path}`, {
    headers: { cookie: browser.cookieHeader(url), 'sec-fetch-site': 'same-origin' },
  })

describe('sign-in at an OpenID provider', () => {
  it('is offered to the page', async () => {
    expect(await (await fetch(`${url}/signin/methods`)).json()).toEqual({
      code: true,
      key: true,
      oidc: { title: 'Example' },
    })
  })

  it('signs the user in whose claim is mapped, with a flow cookie of ten minutes and a strict session', async () => {
    const browser = new HttpBrowser()
    expect((await browser.signIn(`${url}/signin/oidc`, 'anna')).url).toBe(`${url}/`)
    const [begun] = browser.trail
    expect(begun?.setCookie).toEqual([
      expect.stringMatching(/^polylogue_oidc_\d+=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
    ])
    const returned = browser.trail.find((hop) => hop.url.startsWith(`${url}/signin/oidc/callback`))
    expect(returned?.setCookie).toEqual([
      expect.stringMatching(/^polylogue_oidc_\d+=; Max-Age=0; /),
      expect.stringMatching(/^polylogue_session_\d+=[\w-]+; .*SameSite=Strict$/),
    ])
    expect(await (await me(browser)).json()).toMatchObject({ user: 'anna', via: 'cookie' })
    expect((await me(browser, '/users')).status).toBe(403)
  })

  it('gives the roles of the configuration, whatever the case of an address', async () => {
    const browser = new HttpBrowser()
    await browser.signIn(`${url}/signin/oidc`, 'ada')
    const { users } = (await (await me(browser, '/users')).json()) as { users: readonly object[] }
    expect(users).toContainEqual(expect.objectContaining({ name: 'ada', role: 'admin', browsers: 1, keys: 0 }))
  })

  it.each([
    ['boss@partner.example', 'local'],
    ['Anna@EXAMPLE.com', 'anna'],
  ])('knows %s as %s', async (login, user) => {
    const browser = new HttpBrowser()
    await browser.signIn(`${url}/signin/oidc`, login)
    expect(await (await me(browser)).json()).toMatchObject({ user })
  })

  it.each([
    ['unverified', 'has not verified'],
    ['eve@other.example', 'No user of this server'],
    // Only an explicit mapping can name the operator.
    ['local', 'No user of this server'],
    ['eve@example.com.evil.example', 'No user of this server'],
    ['a/../b@example.com', 'No user of this server'],
    ['an\u200bna@example.com', 'No user of this server'],
    ['\u202eanna@example.com', 'No user of this server'],
    ['mar\u212a@example.com', 'No user of this server'],
    ['\uff41nna@example.com', 'No user of this server'],
    ['anna\u001b[2J@example.com', 'No user of this server'],
    ['eve@evil.example@example.com', 'No user of this server'],
    // The operator gave this name to another account.
    ['mapped@example.com', 'No user of this server'],
    [`${'a'.repeat(2_000)}@example.com`, 'No user of this server'],
    [JSON.stringify({ email: ['anna@example.com'] }), 'Your account has no email'],
    [JSON.stringify({ email: { address: 'anna@example.com' } }), 'Your account has no email'],
    [JSON.stringify({ email: 7 }), 'Your account has no email'],
    [JSON.stringify({ email: 'anna@example.com', email_verified: 'true' }), 'has not verified'],
    [JSON.stringify({ email: 'anna@example.com\n', name: 'local' }), 'No user of this server'],
    [JSON.stringify({ email: '__proto__@example.com' }), 'No user of this server'],
  ])('refuses %s', async (login, sentence) => {
    const browser = new HttpBrowser()
    const answer = await browser.signIn(`${url}/signin/oidc`, login)
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain(sentence)
    expect((await me(browser)).status).toBe(401)
  })
})

describe('the return from the provider', () => {
  /** The address with a code that the provider gave to one browser. */
  const stolen = async (): Promise<string> => {
    const browser = new HttpBrowser()
    await browser.signIn(`${url}/signin/oidc`, 'anna')
    return browser.trail.find((hop) => hop.url.startsWith(`${url}/signin/oidc/callback`))?.url ?? ''
  }

  it('is invalid in another browser, and a second time', async () => {
    const address = await stolen()
    const other = new HttpBrowser()
    expect((await other.get(address)).status).toBe(400)
    // With a flow of its own, whose state differs.
    await other.get(`${url}/signin/oidc`)
    expect((await other.get(address)).status).toBe(403)
    expect((await me(other)).status).toBe(401)
  })

  it.each(['', '?code=x', '?code=x&state=y', '?error=access_denied&state=y'])('refuses %j', async (query) => {
    const browser = new HttpBrowser()
    await browser.get(`${url}/signin/oidc`)
    expect((await browser.get(`${url}/signin/oidc/callback${query}`)).status).toBe(403)
    expect(browser.cookieHeader(url)).toBe('')
  })

  it('refuses a flow cookie that this server did not seal', async () => {
    const port = new URL(url).port
    const headers = { cookie: `polylogue_oidc_${port}=${Buffer.from('{"state":"y"}').toString('base64url')}` }
    expect((await fetch(`${url}/signin/oidc/callback?code=x&state=y`, { headers })).status).toBe(400)
  })
})

it('an ended browser session is out at once', async () => {
  const browser = new HttpBrowser()
  await browser.signIn(`${url}/signin/oidc`, 'anna')
  const { keyId } = (await (await me(browser)).json()) as { keyId: string }
  const authorization = `Bearer ${server.localKey}`
  const headers = { authorization, 'content-type': 'application/json' }
  expect((await fetch(`${url}/api/polylogue/keys/${keyId}`, { method: 'DELETE', headers })).status).toBe(204)
  expect((await me(browser)).status).toBe(401)
})

it('says that the provider does not answer', async () => {
  await provider.close()
  const away = await serve({
    dataDir: join(dir.path, 'away'),
    startDir: dir.path,
    configFile: join(dir.path, 'polylogue.config.json'),
    listen: { host: '127.0.0.1', port: 0 },
    log: 'silent',
  })
  const answer = await fetch(`${away.url}/signin/oidc`, { redirect: 'manual' })
  await away.stop(0)
  expect(answer.status).toBe(502)
  expect(await answer.text()).toContain('Example does not answer.')
})

import { serve, type RunningServer } from '@polylogue/server'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { requireTool } from '../house/require-tool.ts'
import { startIdentityProvider, type IdentityProvider } from '../support/identity-provider.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 })

let dir: TempDir
let provider: IdentityProvider
let server: RunningServer
let url: string
/** Two programs, not two windows of one. */
let browsers: readonly [Browser, Browser]

beforeAll(async () => {
  dir = await createTempDir()
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  url = `http://127.0.0.1:${port}`
  provider = await startIdentityProvider(`${url}/signin/oidc/callback`)
  const { issuer, clientId, clientSecret } = provider
  const oidc = { issuer, clientId, clientSecret, title: 'Example', domain: 'example.com' }
  await writeFile(join(dir.path, 'team.json'), JSON.stringify({ signIn: { oidc } }))
  server = await serve({
    dataDir: join(dir.path, 'data'),
    startDir: dir.path,
    configFile: join(dir.path, 'team.json'),
    scripted: true,
    listen: { host: '127.0.0.1', port },
    log: 'silent',
  })
  const launch = () =>
    chromium.launch({ executablePath: requireTool('chromium', 'chromium'), args: ['--no-sandbox', '--disable-gpu'] })
  browsers = [await launch(), await launch()]
})
afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()))
  await server.stop(0)
  await provider.close()
  await dir.remove()
})

const api = async (method: string, path: string, body?: unknown): Promise<unknown> => {
  const response = await fetch(`${url}/api/polylogue${path}`, {
    method,
    headers: { authorization: `Bearer ${server.localKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return response.status === 204 ? undefined : response.json()
}

/** Each way ends on the console's start page. */
const WAYS = {
  key: async (page: Page) => {
    await page.goto(url)
    await page.locator('.key-form input').fill(server.localKey ?? '')
    await page.locator('.key-form button').click()
  },
  link: async (page: Page) => {
    const { link } = (await api('POST', '/users', { name: 'anna' })) as { link: { url: string } }
    await page.goto(link.url)
  },
  oidc: async (page: Page) => {
    await page.goto(url)
    await page.getByRole('link', { name: 'Sign in with Example' }).click()
    await page.locator('input[name=login]').fill('ben')
    await page.locator('input[name=password]').fill('any')
    await page.locator('button[type=submit]').click()
    await page.locator('button[type=submit]').click()
  },
} as const

const USERS = { key: 'local', link: 'anna', oidc: 'ben' } as const

/** Milliseconds from the end of each browser session until its page showed it. */
const took: number[] = []

const whoIs = (page: Page): Promise<unknown> =>
  page.evaluate("fetch('/api/polylogue/me').then((answer) => answer.json()).then(({ user }) => user)")

it.each(['key', 'link', 'oidc'] as const)(
  'a browser that signed in by %s works beside another user, and is out when its session is ended',
  async (way) => {
    const other = await browsers[0].newContext()
    const beside = await other.newPage()
    const { url: link } = (await api('POST', '/signin-codes', {})) as { url: string }
    await beside.goto(link)
    await beside.locator('.composer textarea').waitFor()
    const context = await browsers[1].newContext()
    const page = await context.newPage()
    await WAYS[way](page)
    await page.locator('.composer textarea').waitFor()
    expect([await whoIs(beside), await whoIs(page)]).toEqual(['local', USERS[way]])

    const keyId = await page.evaluate(
      "fetch('/api/polylogue/me').then((answer) => answer.json()).then(({ keyId }) => keyId)",
    )
    const out = page.getByText('This browser is not signed in').or(page.getByText('You were signed out'))
    const began = performance.now()
    await api('DELETE', `/keys/${String(keyId)}`)
    await out.first().waitFor()
    took.push(performance.now() - began)
    expect(await page.evaluate("fetch('/api/polylogue/me').then(({ status }) => status)")).toBe(401)
    expect(await whoIs(beside)).toBe('local')
    await Promise.all([context.close(), other.close()])
  },
)

it('is out within a second', () => {
  process.stdout.write(
    `an ended browser session was out after ${took.map((ms) => `${Math.round(ms)} ms`).join(', ')}\n`,
  )
  expect(took).toHaveLength(3)
  // The fastest of the three shows what the program does. The others may wait for a busy machine.
  expect(Math.min(...took)).toBeLessThan(1000)
  expect(Math.max(...took)).toBeLessThan(10_000)
})

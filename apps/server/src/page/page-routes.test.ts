import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createPageRoutes } from './page-routes.ts'

const ASSETS = fileURLToPath(new URL('./assets', import.meta.url))
const NOT_SERVED = new Set(['tsconfig.json', 'index.html', 'signin.html'])
const FILES = readdirSync(ASSETS).filter((name) => !NOT_SERVED.has(name))
const PATHS = ['/', '/signin', ...FILES.map((name) => `/page/${name}`)]

const routes = createPageRoutes({ version: '1.2.3' })

describe('createPageRoutes', () => {
  it.each(PATHS)('sends %s with headers that keep everything foreign out', async (path) => {
    const response = await routes.request(path)
    expect(response.status).toBe(200)
    const { etag, 'content-type': type, ...headers } = Object.fromEntries(response.headers)
    expect(headers).toEqual({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    })
    expect(etag).toMatch(/^"1\.2\.3-[\w-]{16}"$/)
    expect(type).toMatch(/^(text\/(html|css|javascript); charset=utf-8|image\/svg\+xml)$/)
  })

  it('answers 304 to a browser that has the file', async () => {
    const etag = (await routes.request('/')).headers.get('etag') ?? ''
    const again = await routes.request('/', { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
  })

  it.each(['/page/tsconfig.json', '/page/..%2fpage-routes.ts', '/page/', '/page/nothing.js'])(
    'does not know %s',
    async (path) => {
      expect((await routes.request(path)).status).toBe(404)
    },
  )

  it('links and imports only what it serves, and has no inline script or style', async () => {
    for (const path of PATHS) {
      const text = await (await routes.request(path)).text()
      const links = [...text.matchAll(/(?:src|href)="(page\/[^"]+)"/g)].map(([, link]) => `/${link}`)
      const imports = [...text.matchAll(/from '\.\/([^']+)'/g)].map(([, name]) => `/page/${name}`)
      expect(PATHS).toEqual(expect.arrayContaining([...links, ...imports]))
      if (path.startsWith('/page/')) continue
      expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/)
    }
  })
})

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebFiles } from './web-files.ts'
import { CONTENT_SECURITY_POLICY, createWebRoutes } from './web-routes.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'web-'))
  await mkdir(join(folder, 'dist', 'assets'), { recursive: true })
  await writeFile(join(folder, 'dist', 'index.html'), '<!doctype html><title>x</title>')
  await writeFile(join(folder, 'dist', 'icon.svg'), '<svg/>')
  await writeFile(join(folder, 'dist', 'assets', 'index-1.js'), 'export {}')
  await writeFile(join(folder, 'dist', 'assets', 'plex-1.woff2'), 'font')
  await writeFile(join(folder, 'dist', 'assets', 'notes.txt'), 'not served')
  await writeFile(join(folder, 'secret.js'), 'outside')
})
afterAll(() => rm(folder, { recursive: true }))

const routes = () =>
  createWebRoutes({ files: new WebFiles(join(folder, 'dist')), isOfDoor: (path) => path.startsWith('/door/') })

describe('createWebRoutes', () => {
  it.each([
    '/',
    '/s/0198',
    '/s/0198/doors',
    '/inbox',
    '/sessions',
    '/manage',
    '/manage/keys',
    '/settings',
    '/connect',
    '/signin',
  ])('console 71: %s sends the document, with headers that keep everything foreign out', async (path) => {
    const response = await routes().request(path)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      vary: 'Accept-Encoding, Origin',
    })
  })

  it('console 71: the policy allows nothing inline, nothing from elsewhere and no script made of text', () => {
    expect(CONTENT_SECURITY_POLICY).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
        "connect-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; " +
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types polylogue",
    )
  })

  it('serves files with a hash in their name as immutable, compressed for clients that accept it', async () => {
    const plain = await routes().request('/assets/index-1.js')
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(await plain.text()).toBe('export {}')
    const packed = await routes().request('/assets/index-1.js', { headers: { 'accept-encoding': 'gzip, br' } })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(gunzipSync(await packed.arrayBuffer()).toString()).toBe('export {}')
    const font = await routes().request('/assets/plex-1.woff2', { headers: { 'accept-encoding': 'gzip' } })
    expect(font.headers.has('content-encoding')).toBe(false)
  })

  it.each([
    '/assets/',
    '/assets/notes.txt',
    '/assets/nothing.js',
    '/assets/..%2fsecret.js',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.js',
    '/assets/..%5c..%5csecret.js',
    '/secret.js',
  ])('does not know %s', async (path) => {
    expect((await routes().request(path)).status).toBe(404)
  })

  it('answers a wrong address in a browser with the console, as not found', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    const page = await routes().request('/nothing/here', { headers })
    expect(page.status).toBe(404)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toBe(CONTENT_SECURITY_POLICY)
    expect(await page.text()).toBe('<!doctype html><title>x</title>')
    const others = [
      ['/nothing/here', { headers: { accept: 'application/json' } }],
      ['/nothing/here', { method: 'POST', headers }],
      ['/door/nothing', { headers }],
    ] as const
    for (const [path, request] of others) {
      const answer = await routes().request(path, request)
      expect(answer.status).toBe(404)
      expect(answer.headers.get('content-type')).not.toContain('html')
    }
  })

  it('says how to build the console when it is not built, and serves it once it is', async () => {
    const later = join(folder, 'later')
    const files = createWebRoutes({ files: new WebFiles(later), isOfDoor: () => false })
    const missing = await files.request('/')
    expect(missing.status).toBe(503)
    expect(await missing.text()).toContain('npm start')
    await mkdir(later)
    await writeFile(join(later, 'index.html'), 'built')
    expect(await (await files.request('/')).text()).toBe('built')
  })
})

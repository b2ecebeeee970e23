import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { type Browser, type Page, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { buildSite } from '../../scripts/lib/build-site.mjs'
import { checkSite } from '../../scripts/lib/check-site.mjs'
import { resolveLink, toSitePath } from '../../site/pages.mjs'
import { requireTool } from '../house/require-tool.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { ROOT } from './repository-pages.ts'

const TYPES = new Map([
  ['.html', 'text/html'],
  ['.js', 'text/javascript'],
  ['.css', 'text/css'],
  ['.svg', 'image/svg+xml'],
])
const BUILD_WITHIN_MS = 400_000

describe('the documentation site', () => {
  let dir: TempDir
  let built: { readonly pages: number; readonly links: number }
  let server: Server
  let browser: Browser
  let url: string
  beforeAll(async () => {
    dir = await createTempDir()
    // Throws if a link is dead.
    built = await buildSite(ROOT, process.execPath, { outDir: dir.path })
    server = createServer((request, response) => {
      const path = decodeURI(new URL(request.url ?? '/', 'http://site').pathname).replace(/\/$/, '/index.html')
      readFile(join(dir.path, path)).then(
        (body) => response.writeHead(200, { 'content-type': TYPES.get(extname(path)) ?? 'font/woff2' }).end(body),
        () => response.writeHead(404).end(),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    browser = await chromium.launch({ executablePath: requireTool('chromium', 'chromium'), args: ['--no-sandbox'] })
  }, BUILD_WITHIN_MS)
  afterAll(async () => {
    await browser?.close()
    server?.close()
    server?.closeAllConnections()
    await dir?.remove()
  })

  async function open(path: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    const page = await browser.newPage({ colorScheme })
    onTestFinished(() => page.close())
    await page.goto(`${url}${path}`)
    return page
  }

  it('has every page, and no dead link or anchor', () => {
    expect(built.pages).toBeGreaterThan(80)
    expect(built.links).toBeGreaterThan(1000)
  })

  it.each([
    { at: '/', say: 'budget', leadsTo: /\/(?:cost|guide\/security)\.html/ },
    { at: '/zh/', say: '单点登录', leadsTo: /\/zh\/guide\/teams\.html/ },
  ])('finds $say, without a request to another host', async ({ at, say, leadsTo }) => {
    const page = await open(at)
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).origin))
    await page.locator('.VPNavBarSearch button').first().click()
    await page.locator('#localsearch-input').fill(say)
    await page.locator('.VPLocalSearchBox .result').first().waitFor()
    const links = await page
      .locator('.VPLocalSearchBox a.result')
      .evaluateAll((found) => found.map((a) => String(a.getAttribute('href'))))
    expect(links.join('\n')).toMatch(leadsTo)
    expect([...hosts]).toEqual([url])
  })

  it('is dark where the reader prefers it', async () => {
    const brightness = async (scheme: 'light' | 'dark') => {
      const page = await open('/guide/getting-started.html', scheme)
      const color = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
      return Number(/\d+/.exec(color)?.[0])
    }
    expect(await brightness('light')).toBeGreaterThan(240)
    expect(await brightness('dark')).toBeLessThan(40)
  })

  it('leads from a page to its translation and back', async () => {
    const page = await open('/guide/teams.html')
    await page.getByText('本页有中文版').click()
    await page.waitForURL('**/zh/guide/teams.html')
    await page.getByText('Read this page in English').click()
    await page.waitForURL(`${url}/guide/teams.html`)
  })
})

describe('the check of a built site', () => {
  it('finds pages, anchors and images that are not there, below any base', async () => {
    const dir = await createTempDir()
    onTestFinished(() => dir.remove())
    await mkdir(join(dir.path, 'b'))
    const links = [
      '/x/b/two.html',
      '/x/b/two.html#here',
      '#top',
      'https://a.example/',
      '/x/b/two.html#gone',
      '/x/c.html',
      '/b/two.html',
      'no.png',
    ]
    const body = links.map((link) => `<a href="${link}"></a>`).join('')
    await writeFile(join(dir.path, 'one.html'), `<h1 id="top"></h1>${body}<img src="lost.png">`)
    await writeFile(join(dir.path, 'b', 'two.html'), '<h1 id="here"></h1><a href="../one.html#top"></a>')
    const { pages, dead } = checkSite(dir.path, '/x/')
    expect(pages).toBe(2)
    expect([...dead].sort()).toEqual(
      ['/b/two.html', '/x/b/two.html#gone', '/x/c.html', 'lost.png', 'no.png'].map(
        (target) => `${target} (in one.html)`,
      ),
    )
  })
})

describe('a page of the repository', () => {
  it.each([
    ['docs/README.md', 'contents.md'],
    ['docs/guide/teams.md', 'guide/teams.md'],
    ['docs/decisions/README.md', 'decisions/index.md'],
    ['docs/zh/models.md', 'zh/models.md'],
    ['packages/stores/sqlite/README.md', 'code/packages/stores/sqlite.md'],
    ['site/zh/index.md', 'zh/index.md'],
  ])('has its place on the site: %s', (path, place) => {
    expect(toSitePath(path)).toBe(place)
  })

  it('keeps links to the web, and names files that are not on the site', () => {
    const isPage = (path: string) => path.endsWith('.md')
    expect(resolveLink('docs/guide/a.md', '../b.md#c', isPage)).toEqual({ kind: 'page', href: '/b.md#c' })
    expect(resolveLink('docs/guide/a.md', '../../x.ts', isPage)).toEqual({ kind: 'file', path: 'x.ts' })
    expect(resolveLink('docs/guide/a.md', 'https://a.example/b.md', isPage)).toEqual({ kind: 'web' })
    expect(resolveLink('docs/guide/a.md', '#b', isPage)).toEqual({ kind: 'web' })
  })
})

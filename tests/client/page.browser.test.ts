// The example pages, bundled as their reader would and opened in a browser.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { requireTool } from '../house/require-tool.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { startTestServer } from '../support/test-server.ts'

const VITE = fileURLToPath(new URL('../../node_modules/vite/bin/vite.js', import.meta.url))
const EXAMPLES = fileURLToPath(new URL('../../examples/client', import.meta.url))
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' }

async function serveExample(name: string): Promise<string> {
  const dir = await createTempDir()
  onTestFinished(() => dir.remove())
  const page = join(EXAMPLES, name)
  const args = [VITE, 'build', page, '--outDir', dir.path, '--target', 'esnext', '--logLevel', 'error']
  await promisify(execFile)(process.execPath, args)
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://page')
    const path = join(dir.path, pathname === '/' ? 'index.html' : pathname)
    readFile(path).then(
      (text) => response.writeHead(200, { 'content-type': TYPES[extname(path)] }).end(text),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it.each(['page', 'react'])(
  'the example %s talks to a server of another origin, and a bridge action reaches it once',
  async (name) => {
    const origin = await serveExample(name)
    const server = await startTestServer({ allowOrigins: [origin] })
    onTestFinished(() => server.stop())
    const browser = await chromium.launch({
      executablePath: requireTool('chromium', 'chromium'),
      // As root, as in a container, chromium refuses to start with its sandbox.
      args: ['--no-sandbox'],
    })
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.goto(`${origin}/?server=${server.url}&agent=scripted#${server.key}`)
    await page.waitForSelector('[data-state=live]')
    const bridge = JSON.stringify({ _meta: { bridge: { action: 'map.show', payload: { zoom: 7 } } } })
    await page.fill('input', `call e1 echo ${JSON.stringify({ msg: bridge })}`)
    await page.click('button')
    await page.waitForFunction(`document.title.startsWith('map.show')`)
    await page.fill('input', 'say Hello from the server')
    await page.click('button')
    await page.getByText('assistant: Hello from the server', { exact: true }).waitFor()
    expect(await page.title()).toBe('map.show {"zoom":7}')
    expect(await page.locator('main p').count()).toBe(5)
  },
  // A browser starts, and a bundler runs, beside other tests.
  120_000,
)

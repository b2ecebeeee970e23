import { type RunningServer, serve } from '@polylogue/server'
import { type Browser, type Page, chromium } from 'playwright-core'
import { requireTool } from '../house/require-tool.ts'
import { createTempDir } from '../support/temp-dir.ts'

/** A server and a browser that has never seen it. */
export interface Stage {
  readonly server: () => RunningServer
  /** A page of its own, with nothing kept from others. Console errors and broken rules of the page are collected. */
  newPage(): Promise<{ readonly page: Page; readonly complaints: readonly string[] }>
  /** Drops everything at once, as a crash does to those who look, and serves the same data at the same address. */
  restart(): Promise<void>
  close(): Promise<void>
}

export async function openStage(): Promise<Stage> {
  const dir = await createTempDir()
  const start = (port: number) =>
    serve({
      dataDir: dir.path,
      startDir: dir.path,
      scripted: true,
      listen: { host: '127.0.0.1', port },
      log: 'silent',
    })
  let server = await start(0)
  const browser = await launchBrowser()
  return {
    server: () => server,
    async newPage() {
      const context = await browser.newContext()
      const page = await context.newPage()
      page.setDefaultTimeout(15_000)
      const complaints: string[] = []
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      return { page, complaints }
    },
    async restart() {
      const port = Number(new URL(server.url ?? '').port)
      await server.stop(0)
      server = await start(port)
    },
    async close() {
      await browser.close()
      await server.stop(0)
      await dir.remove()
    },
  }
}

function launchBrowser(): Promise<Browser> {
  // As root, as in a container, chromium refuses to start with its sandbox.
  return chromium.launch({ executablePath: requireTool('chromium', 'chromium'), args: ['--no-sandbox'] })
}

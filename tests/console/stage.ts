import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunningServer, serve } from '@polylogue/server'
import { type Browser, type BrowserContext, type BrowserContextOptions, type Page, chromium } from 'playwright-core'
import { vi } from 'vitest'
import { requireTool } from '../house/require-tool.ts'
import { databaseOf, dropDatabase } from '../support/databases.ts'
import { createTempDir } from '../support/temp-dir.ts'

/** A server and a browser that is signed in to it. */
export interface Stage {
  readonly server: () => RunningServer
  readonly dataDir: string
  /** Where editors work. */
  readonly folder: string
  /** The page that used the sign-in link. */
  readonly page: Page
  readonly context: BrowserContext
  /** Errors of scripts and broken rules of the content security policy, of all pages. */
  readonly complaints: readonly string[]
  /** A browser that has never been here. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  /** A page of such a browser. */
  newPage(options?: BrowserContextOptions): Promise<Page>
  /** Drops everything at once, as a crash does to those who look, and serves the same data at the same address. */
  restart(): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export interface StageOptions {
  readonly colorScheme?: 'light' | 'dark'
  readonly locale?: string
  readonly scripted?: boolean
  /** More switches of the browser. */
  readonly flags?: readonly string[]
  /** Called with the port of the server before a page is opened. */
  readonly onServing?: (port: number) => void
  /** The configuration file, if there is one. It gets the folder that editors work in. */
  readonly config?: (folder: string) => object
}

// A browser and a server on a machine that may be busy.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 })

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update']

export async function openStage(options: StageOptions = {}) {
  const { colorScheme = 'light', locale = 'en-US', scripted = true, flags = [], config, onServing } = options
  const dir = await createTempDir()
  const work = await createTempDir()
  const configFile = join(dir.path, 'config.json')
  if (config !== undefined) await writeFile(configFile, JSON.stringify(config(work.path)))
  const database = await databaseOf(dir.path)
  const startAt = (port: number) =>
    serve({
      dataDir: dir.path,
      startDir: dir.path,
      scripted,
      ...(database && { database: database.url }),
      ...(config !== undefined && { configFile }),
      listen: { host: '127.0.0.1', port },
      log: 'silent',
    })
  let server = await startAt(0)
  const port = Number(new URL(server.url ?? '').port)
  onServing?.(port)
  const browser: Browser = await chromium.launch({
    executablePath: requireTool('chromium', 'chromium'),
    args: [...FLAGS, ...flags],
  })
  const complaints: string[] = []
  const newContext = async (more: BrowserContextOptions = {}): Promise<BrowserContext> => {
    const made = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      colorScheme,
      locale,
      ignoreHTTPSErrors: true,
      ...more,
    })
    made.setDefaultTimeout(30_000)
    made.on('weberror', (error) => complaints.push(error.error().message))
    made.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    return made
  }
  const context = await newContext()
  const page = await context.newPage()
  await page.goto(server.signInUrl ?? '')
  await page.locator('.composer textarea').waitFor()
  const stage: Stage = {
    server: () => server,
    dataDir: dir.path,
    folder: work.path,
    page,
    context,
    complaints,
    newContext,
    newPage: async (more) => (await newContext(more)).newPage(),
    async restart() {
      await stage.stop()
      await stage.start()
    },
    async stop() {
      await server.stop(0)
    },
    async start() {
      server = await startAt(port)
    },
    async close() {
      await browser.close()
      await server.stop(0)
      await dir.remove()
      await work.remove()
      await dropDatabase(dir.path)
    },
  }
  return stage
}

/** Losses of the connection that a test causes are logged by the browser. */
export const withoutLosses = (complaints: readonly string[]): readonly string[] =>
  complaints.filter((text) => !/status of (401|404|409|503)|ERR_|WebSocket connection/.test(text))

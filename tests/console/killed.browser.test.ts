import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { requireTool } from '../house/require-tool.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { type Chat, chatOn } from './chat.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let dir: TempDir
let server: ServerProcess
let browser: Browser
let chat: Chat
beforeAll(async () => {
  dir = await createTempDir()
  server = await startServerProcess({ dataDir: dir.path })
  browser = await chromium.launch({ executablePath: requireTool('chromium', 'chromium'), args: ['--no-sandbox'] })
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  chat = chatOn(page)
  await page.goto(server.url)
  await page.getByLabel('Or sign in with an API key').fill(server.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await chat.composer.waitFor()
})
afterAll(async () => {
  await browser.close()
  await server.kill()
  await dir.remove()
})

it('console 7: a kill of the server in the middle of an answer loses and doubles no word', async () => {
  await chat.begin('say Before\nsleep 600\nsay  the kill\nsleep 2000\nsay  and after')
  await chat.answered('the kill')
  await server.kill()
  await chat.page.locator('.banner').waitFor()
  server = await startServerProcess({ dataDir: dir.path, flags: ['--port', new URL(server.url).port] })
  await chat.answered('and after')
  await chat.rests()
  const [said, interrupted, whole, ...more] = await chat.rows()
  expect([said, whole, more]).toEqual([expect.stringContaining('say Before'), 'Before the kill and after', []])
  // What was drawn in the last quarter of a second before the kill may not have been on disk.
  expect('Before the kill').toContain(interrupted)
  expect(interrupted).toContain('Before')
  await chat.page.reload()
  await expect.poll(() => chat.rows()).toEqual([said, interrupted, whole])
})

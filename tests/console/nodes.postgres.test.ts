import { type Browser, chromium } from 'playwright-core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { prepareNodes, type Nodes } from '../cluster/support/nodes.ts'
import { requireTool } from '../house/require-tool.ts'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { askOwner } from '../support/owner-socket.ts'
import { createTestDatabase } from '../support/test-database.ts'

let database: ServerDatabase
let nodes: Nodes
let browser: Browser
beforeEach(async () => {
  database = await createTestDatabase()
  nodes = await prepareNodes(database.url)
  browser = await chromium.launch({
    executablePath: requireTool('chromium', 'chromium'),
    args: ['--no-sandbox', '--disable-gpu'],
  })
}, 120_000)
afterEach(async () => {
  await browser.close()
  await nodes.remove()
  await database.drop()
})

it('console 78: the operator sees the nodes of a cluster, what each runs, and which one is gone', async () => {
  const [a, b] = await Promise.all([nodes.start('a'), nodes.start('b')])
  const session = await openSession(b.client(V3), { agent: 'scripted' })
  const stream = await session.stream('delta', 'say Begun\nsleep 600000')
  void stream.finished().catch(() => undefined)
  const page = await browser.newPage()
  const made = await askOwner(a.dataDir, { method: 'POST', path: '/api/polylogue/signin-codes', body: {} })
  const { url } = made.body as { url: string }
  await page.goto(url)
  await page.locator('.composer textarea').waitFor()
  await page.goto(`${a.url}/manage/nodes`)
  const rowOf = ({ pid }: { readonly pid: number }) => page.locator('[data-node]').filter({ hasText: `${pid}` })
  await rowOf(a).getByText('serves this page').waitFor()
  const cells = async (node: { readonly pid: number }) => (await rowOf(node).locator('td').allInnerTexts()).slice(2, 4)
  await expect.poll(() => cells(b), { timeout: 15_000 }).toEqual(['alive', '1'])
  expect(await cells(a)).toEqual(['alive serves this page', '0'])
  await b.kill()
  await expect.poll(() => cells(a), { timeout: 30_000 }).toEqual(['alive serves this page', '1'])
  expect(await cells(b)).toEqual(['gone', '0'])
}, 90_000)

// Sessions whose settings are as large as a client may make them: long titles, thousands of names, tools of megabytes. Every
// list shows them, and the other clients do not notice.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { type WatchedServer, sendJson, startWatchedServer } from './loop-watch.ts'

/** In CPU milliseconds of the loop's thread: twice the promise. Without pages bounded by bytes it was more than a second. */
const LONGEST_STOP_MS = 500
const COUNT = 100
const LARGE = 8
const LISTS = [
  '/api/sessions?limit=1000',
  '/api/sessions?limit=1000&q=𝕏',
  '/aap/v3/sessions',
  '/api/polylogue/sessions?limit=100',
  '/api/polylogue/search?limit=100',
  '/api/polylogue/search?agent=nobody',
]

let dir: TempDir
let watched: WatchedServer
const send = (method: string, path: string, body?: unknown) => sendJson(watched.server, method, [path, body])

async function create(path: string, body: object): Promise<void> {
  const { status, text } = await send('POST', path, body)
  if (status !== 200 && status !== 201) throw new Error(`the session was refused: ${status} ${text}`)
}

beforeAll(async () => {
  dir = await createTempDir()
  watched = await startWatchedServer(dir.path)
  const names = Array.from({ length: 1_000 }, (_, index) => `t${index}`.padEnd(200, 'é'))
  const large = [{ name: 't', description: 'x'.repeat(3_900_000), parameters: {} }]
  // The first request to a door loads its code.
  for (const path of LISTS) await send('GET', path)
  for (let index = 0; index < COUNT; index += 1) {
    await create('/api/sessions', { intent: '𝕏'.repeat(20_000), disable_tools: names })
  }
  for (let index = 0; index < LARGE; index += 1) {
    await create('/aap/v3/sessions', { agent: { name: 'scripted' }, tools: large })
  }
  watched.longestStop()
}, 120_000)
afterAll(async () => {
  await watched.server.stop()
  await dir.remove()
})

it.each(LISTS)(
  'S26: %s is answered piece by piece',
  async (path) => {
    const answers = await Promise.all([1, 2, 3].map(() => send('GET', path)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(watched.longestStop()).toBeLessThan(LONGEST_STOP_MS)
  },
  60_000,
)

it('S26: Blade lists every session once, with its whole title', async () => {
  const { text } = await send('GET', '/api/sessions?limit=1000')
  const { items, total } = JSON.parse(text) as { readonly items: readonly Item[]; readonly total: number }
  expect(total).toBe(COUNT + LARGE)
  expect(new Set(items.map(({ id }) => id)).size).toBe(COUNT + LARGE)
  expect(items.filter(({ intent }) => intent === '𝕏'.repeat(20_000))).toHaveLength(COUNT)
})

it('S26: AAP lists every session once, over several pages', async () => {
  const seen: string[] = []
  for (let after: string | undefined = ''; after !== undefined;) {
    const { text } = await send('GET', `/aap/v3/sessions${after === '' ? '' : `?after=${after}`}`)
    const page = JSON.parse(text) as { readonly sessions: readonly Listed[]; readonly next?: string }
    seen.push(...page.sessions.map(({ sessionId }) => sessionId))
    expect(text.length).toBeLessThan(8_000_000)
    after = page.next
  }
  expect(seen).toHaveLength(COUNT + LARGE)
  expect(new Set(seen).size).toBe(seen.length)
}, 60_000)

interface Item {
  readonly id: string
  readonly intent: string
}

interface Listed {
  readonly sessionId: string
}

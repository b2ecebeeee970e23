// Files and edits for which careless code takes quadratic time or unbounded memory. A client writes both: through a model, or as
// the script of one.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { type WatchedServer, sendJson, startWatchedServer } from './loop-watch.ts'

/** In CPU milliseconds of the loop's thread: twice the promise. Without the bounds it was from a second to hours. */
const LONGEST_STOP_MS = 500
const LONG = 400_000

let dir: TempDir
let watched: WatchedServer
let sessionId: string
const send = (path: string, body: object) => sendJson(watched.server, 'POST', [path, body])
let calls = 0
async function run(tool: string, inputs: readonly object[]): Promise<string> {
  const content = script(...inputs.map((input) => call(`c${(calls += 1)}`, tool, { path: 'file.txt', ...input })))
  return (await send(`/aap/v3/sessions/${sessionId}/turns`, { messages: [{ role: 'user', content }] })).text
}
const write = (content: string) => run('Write', [{ content }])

beforeAll(async () => {
  dir = await createTempDir()
  watched = await startWatchedServer(dir.path)
  const tools = ['Write', 'Edit'].map((name) => ({ name, trust: true }))
  const made = await send('/aap/v3/sessions', { agent: { name: 'scripted', tools } })
  sessionId = (JSON.parse(made.text) as { readonly sessionId: string }).sessionId
  await write('a')
  await run('Edit', [{ oldText: 'a', newText: 'b' }])
  watched.longestStop()
})
afterAll(async () => {
  await watched.server.stop()
  await dir.remove()
})

const swap = (index: number) => (index % 2 === 0 ? { oldText: 'a', newText: 'b' } : { oldText: 'b', newText: 'a' })

it.each([
  [
    'a long text that is almost there',
    'a',
    [{ oldText: `${'a'.repeat(LONG / 4)}b${'a'.repeat(LONG / 4)}`, newText: '' }],
  ],
  ['a text in very many places', 'a', [{ oldText: 'a', newText: 'aa', replaceAll: true }]],
  [
    'a hundred edits that each make the file longer',
    'a'.repeat(10).concat('\n'),
    [{ edits: Array.from({ length: 100 }, () => ({ oldText: '\n', newText: '\na', replaceAll: true })) }],
  ],
  [
    'a hundred edits of every line',
    'a'.repeat(10).concat('\n'),
    [{ edits: Array.from({ length: 100 }, (_, index) => ({ ...swap(index), replaceAll: true })) }],
  ],
])(
  '%s',
  async (_, piece, inputs) => {
    await write(piece.repeat(LONG / piece.length))
    const text = await run('Edit', inputs)
    expect(text).toContain('end_turn')
    expect(watched.longestStop()).toBeLessThan(LONGEST_STOP_MS)
  },
  60_000,
)

it('five hundred edits of one long line show what they change, and not the line', async () => {
  await write(`${'x'.repeat(200_000)}0${'x'.repeat(50_000)}`)
  const edits = Array.from({ length: 500 }, (_, index) => ({ oldText: `${index}x`, newText: `${index + 1}x` }))
  const text = await run('Edit', edits)
  expect(text).toContain('end_turn')
  const { text: log } = await sendJson(watched.server, 'GET', [
    `/api/polylogue/sessions/${sessionId}/events?limit=1000`,
  ])
  expect(log.length).toBeLessThan(8_000_000)
  expect(watched.longestStop()).toBeLessThan(LONGEST_STOP_MS)
}, 60_000)

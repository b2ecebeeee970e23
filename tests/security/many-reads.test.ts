// Hundreds of large files read in one answer, and a notebook of millions of values. The other clients do not notice.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { askOwner } from '../support/owner-socket.ts'
import { call, script } from '../support/script.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { type WatchedServer, startWatchedServer } from './loop-watch.ts'

/** In CPU milliseconds of the loop's thread: twice the promise. Before, these took from one second to four. */
const LONGEST_STOP_MS = 500
const READS = 400

let dir: TempDir
let work: string
let watched: WatchedServer
beforeAll(async () => {
  dir = await createTempDir()
  work = join(dir.path, 'work')
  mkdirSync(work)
  watched = await startWatchedServer(dir.path)
  writeFileSync(join(work, 'small.txt'), 'x')
  await read('small.txt', 1)
})
afterAll(async () => {
  await watched.server.stop()
  await dir.remove()
})

/** Returns how many files were shown. */
async function read(path: string, times: number): Promise<number> {
  const { server } = watched
  const body = { agent: 'scripted', directory: work }
  const made = await askOwner(server.dataDir, { method: 'POST', path: '/api/polylogue/sessions', body })
  const { sessionId } = made.body as { readonly sessionId: string }
  const calls = Array.from({ length: times }, (_, index) => call(`r${index}`, 'Read', { path, limit: 1 }))
  watched.longestStop()
  const { body: answer } = await server.client(V3).turn(sessionId, {
    messages: [{ role: 'user', content: script(...calls) }],
  })
  const results = answer.messages.filter(({ role }) => role === 'tool')
  return results.filter(({ content }) => JSON.stringify(content).includes('     1\\t')).length
}

it.each([
  ['many short lines', 'lines.txt', 'x y z\n'.repeat(300_000), READS],
  ['nothing but line ends', 'ends.txt', '\n'.repeat(8_000_000), 20],
  ['a notebook of two million numbers', 'n.ipynb', `{"nbformat":4,"cells":[${'1,'.repeat(2_000_000)}1]}`, 5],
])(
  'S26: %s, read many times in one answer',
  async (_, name, text, times) => {
    writeFileSync(join(work, name), text)
    expect(await read(name, times)).toBe(times)
    expect(watched.longestStop()).toBeLessThan(LONGEST_STOP_MS)
  },
  60_000,
)

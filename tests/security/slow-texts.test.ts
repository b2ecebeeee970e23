// Texts for which careless code takes quadratic time: as a message to the built-in agent, as a file of a repository, as a
// header. Meanwhile another client is answered.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRestClient } from '../blade/rest-client.ts'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { call, script } from '../support/script.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { askOwner } from '../support/owner-socket.ts'

/** Eight times the promise, because other tests run beside this one. Without the bounds it took from seconds to hours. */
const LONGEST_WAIT_MS = 2_000
const LONG = 300_000

let dir: TempDir
let server: ServerProcess
beforeAll(async () => {
  dir = await createTempDir()
  server = await startServerProcess({ dataDir: join(dir.path, 'data'), startDir: dir.path })
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

/** Returns the longest time that another client waited for an answer while this was done. */
async function waitedDuring(act: () => Promise<unknown>): Promise<number> {
  const done = act().then(() => true)
  let longest = 0
  for (let isDone = false; !isDone;) {
    const startedAt = performance.now()
    await (await fetch(`${server.url}/healthz`)).text()
    longest = Math.max(longest, performance.now() - startedAt)
    isDone = await Promise.race([done, new Promise<false>((resolve) => setTimeout(resolve, 5, false))])
  }
  return longest
}

it('messages of one repeated piece', async () => {
  const texts = [' ', '"', '\n', '.', 'note ', '<system-reminder>', '\u0301\u0316', '\uff9e\u0316'].flatMap((piece) => {
    const long = piece.repeat(LONG / piece.length)
    return [`please${long}x`, `note${long}`, `x${long}x`, long]
  })
  const sessions = await Promise.all(texts.map(() => openSession(server.client(V3), { agent: 'assistant' })))
  const say = (): Promise<unknown> => Promise.all(sessions.map((session, index) => session.turn(texts[index] ?? '')))
  expect(await waitedDuring(say)).toBeLessThan(LONGEST_WAIT_MS)
  const blade = createRestClient(server)
  const read = (): Promise<unknown> =>
    Promise.all(sessions.map(({ id }) => blade.send('GET', `/sessions/${id}/messages`)))
  expect(await waitedDuring(read)).toBeLessThan(LONGEST_WAIT_MS)
}, 60_000)

it('the header that says which compression a client takes', async () => {
  const hostile = `gzip${' '.repeat(15_000)}x`
  const ask = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const headers = { 'accept-encoding': hostile, authorization: `Bearer ${server.key}` }
      request(`${server.url}/api/polylogue/status`, { headers }, (answer) => answer.resume().on('end', resolve))
        .on('error', reject)
        .end()
    })
  expect(await waitedDuring(() => Promise.all(Array.from({ length: 40 }, ask)))).toBeLessThan(LONGEST_WAIT_MS)
})

it.each([
  ['a line of spaces', `x${' '.repeat(200_000)}x\n`, ['a.txt']],
  [
    'two thousand rules for a thousand long names',
    `${'*a'.repeat(60)}b\n`.repeat(2000),
    Array.from({ length: 1000 }, (_, index) => `${'a'.repeat(200)}${index}`),
  ],
])(
  'a .gitignore with %s',
  async (name, rules, files) => {
    const directory = join(dir.path, name.replaceAll(' ', '-'))
    await mkdir(directory)
    await writeFile(join(directory, '.gitignore'), rules)
    for (const file of files) await writeFile(join(directory, file), '')
    const made = await askOwner(server.dataDir, {
      method: 'POST',
      path: '/api/polylogue/sessions',
      body: { agent: 'scripted', directory },
    })
    const { sessionId } = made.body as { readonly sessionId: string }
    const look = script(call('g1', 'Glob', { pattern: '**/*' }))
    const turn = (): Promise<unknown> =>
      server.client(V3).turn(sessionId, { messages: [{ role: 'user', content: look }] })
    expect(await waitedDuring(turn)).toBeLessThan(LONGEST_WAIT_MS)
  },
  60_000,
)

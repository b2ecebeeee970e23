// Bodies of many small things, in the places where a schema or a rule of the engine looks at each of them. Another client
// does not notice them, and the answer says what there are too many of.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'

/** In CPU milliseconds of the loop's thread: four times the promise. Without the bounds it was from 0.3 s to minutes. */
const LONGEST_STOP_MS = 1_000

let dir: TempDir
let server: ServerProcess
let sessionId: string
beforeAll(async () => {
  dir = await createTempDir()
  const watch = new URL('programs/watch-loop.mjs', import.meta.url)
  writeFileSync(join(dir.path, 'loop'), '')
  const environment = { NODE_OPTIONS: `--import ${watch.href}`, LOOP_FILE: join(dir.path, 'loop') }
  server = await startServerProcess({ dataDir: join(dir.path, 'data'), startDir: dir.path, environment })
  const made = await send('POST', '/aap/v3/sessions', '{"agent":{"name":"scripted"}}')
  sessionId = (JSON.parse(made.text) as { readonly sessionId: string }).sessionId
  // The first request to a door loads its code.
  for (const path of ['/api/sessions', '/api/scheduled-tasks']) await send('POST', path, '[]')
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

async function send(method: string, path: string, body: string) {
  const answer = await fetch(`${server.url}${path.replace('ID', sessionId)}`, {
    method,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body,
  })
  return { status: answer.status, text: await answer.text() }
}

const keys = (count: number, value: string): string =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":${value}`).join()}}`
const list = (count: number, item: string | ((index: number) => string)): string =>
  `[${Array.from({ length: count }, (_, index) => (typeof item === 'string' ? item : item(index))).join()}]`

const TOOL = '"description":"","parameters":{}'
const CALLS = list(30_000, (id) => `{"type":"tool_use","toolCallId":"c${id}","name":"t","input":{}}`)
const IMAGES = list(50_000, (id) => `{"type":"image","url":"data:image/png;base64,${btoa(`${id}`)}"}`)
const ONE_OBJECT = 'more than 10000 keys in one object'
const AAP = '/aap/v3/sessions'
const BLADE = '/api/sessions'

it.each([
  ['POST', AAP, `{"agent":{"name":"scripted","options":${keys(249_000, '1')}}}`, ONE_OBJECT],
  ['POST', AAP, `{"agent":{"name":"scripted","options":${keys(240_000, '"x"')}}}`, ONE_OBJECT],
  ['POST', AAP, `{"agent":{"name":"scripted"},"tools":[{"name":"t","parameters":${keys(240_000, '{}')}}]}`, ONE_OBJECT],
  ['POST', AAP, `{"agent":{"name":"scripted"},"tools":${list(50_000, (id) => `{"name":"t${id}",${TOOL}}`)}}`, 'tools'],
  ['POST', AAP, `{"agent":{"name":"scripted","tools":${list(90_000, '{"name":"echo"}')}}}`, 'agent.tools: expected at'],
  ['POST', AAP, `{"agent":{"name":"scripted"},"messages":${list(490_000, '1')}}`, 'messages[0]'],
  [
    'POST',
    AAP,
    `{"agent":{"name":"scripted"},"tools":[{"name":"t",${TOOL}}],"messages":[{"role":"assistant","content":${CALLS}}]}`,
    'messages[0]: more than 500 tool calls',
  ],
  [
    'POST',
    `${AAP}/ID/turns`,
    `{"messages":${list(80_000, (id) => `{"role":"tool","toolCallId":"c${id}","content":"x"}`)}}`,
    'messages: expected at most 1000 elements',
  ],
  ['POST', `${AAP}/ID/turns`, `{"messages":[{"role":"user","content":${IMAGES}}]}`, 'more than 1000 images'],
  ['POST', BLADE, keys(249_000, 'null'), ONE_OBJECT],
  ['POST', BLADE, `{"env":${keys(249_000, '1')}}`, ONE_OBJECT],
  ['POST', BLADE, `{"env":${keys(9_999, '1')}}`, 'env.k0'],
  ['POST', BLADE, `{"disable_tools":${list(490_000, '1')}}`, 'disable_tools'],
  ['PATCH', `${BLADE}/ID`, keys(249_000, 'null'), ONE_OBJECT],
  ['POST', '/api/scheduled-tasks', keys(249_000, '1'), ONE_OBJECT],
])('%s %s with many values is refused', async (method, path, body, problem) => {
  const { status, text } = await send(method, path, body)
  expect(text).toContain(problem)
  expect([400, 422]).toContain(status)
})

it('an answer with more tool calls than one may have fails, and nothing of it runs', async () => {
  const content = 'call c1 echo {}\n'.repeat(60_000)
  const { text } = await send('POST', `${AAP}/ID/turns`, JSON.stringify({ messages: [{ role: 'user', content }] }))
  expect(text).toContain('more than 500 tool calls')
}, 60_000)

it('none of this stopped the event loop for long', async () => {
  const watched = join(dir.path, 'loop')
  await send('POST', AAP, `{"agent":{"name":"scripted"},"tools":[{"name":"t",${TOOL}}]}`)
  expect(Math.max(...readFileSync(watched, 'utf8').split('\n').map(Number))).toBeLessThan(LONGEST_STOP_MS)
})

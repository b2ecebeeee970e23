// What a provider, or the model behind it, can put into one answer. Another client does not notice it, neither when it comes
// nor when somebody reads the session.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'

/** In CPU milliseconds of the loop's thread: four times the promise. Without the bounds it was up to minutes. */
const LONGEST_STOP_MS = 1_000

const event = (choice: object): string => `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, ...choice }] })}\n\n`
const call = (index: number, name: string, input: string): string =>
  event({ delta: { tool_calls: [{ index, id: `c${index}`, function: { name, arguments: input } }] } })
const list = (count: number, item: (index: number) => string, between = ','): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(between)

const ANSWERS: Readonly<Record<string, () => string>> = {
  keys: () => call(0, 'Edit', `{${list(200_000, (key) => `"k${key}":{}`)}}`),
  objects: () => call(0, 'Write', `{"path":[${list(1_300_000, () => '{}')}]}`),
  brackets: () => call(0, 'Write', '['.repeat(3_000_000)),
  calls: () => list(20_000, (index) => call(index, 'Glob', '{"pattern":"a"}'), ''),
  parts: () =>
    list(50_000, () => event({ delta: { reasoning_content: 'x' } }) + event({ delta: { content: 'y' } }), ''),
  deltas: () => list(100_000, () => event({ delta: { content: 'x' } }), ''),
  choices: () => `data: {"id":"x","choices":[${list(1_000_000, () => '1')}]}\n\n`,
  returns: () => '\r'.repeat(10_000_000),
}

let dir: TempDir
let provider: Server
let server: ServerProcess
beforeAll(async () => {
  dir = await createTempDir()
  provider = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece))
    request.on('end', () => {
      const kind = /!(\w+)!/.exec(body)?.[1] ?? ''
      const answer = body.includes('"role":"tool"') ? undefined : ANSWERS[kind]
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`${answer?.() ?? ''}${event({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`)
    })
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const address = provider.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  writeFileSync(join(dir.path, 'loop'), '')
  server = await startServerProcess({
    dataDir: join(dir.path, 'data'),
    startDir: dir.path,
    environment: {
      NODE_OPTIONS: `--import ${new URL('programs/watch-loop.mjs', import.meta.url).href}`,
      LOOP_FILE: join(dir.path, 'loop'),
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      OPENAI_API_KEY: 'key-of-a-test',
      POLYLOGUE_MODEL: 'openai/m',
    },
  })
})
afterAll(async () => {
  await server.stop()
  await new Promise((resolve) => provider.close(resolve))
  await dir.remove()
})

async function ask(path: string, body?: object): Promise<string> {
  const answer = await fetch(`${server.url}${path}`, {
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  expect(answer.status).toBeLessThan(300)
  return answer.text()
}

const stops = (): readonly string[] => readFileSync(join(dir.path, 'loop'), 'utf8').split('\n')

it.each(Object.keys(ANSWERS))(
  'an answer of many %s stops nothing',
  async (kind) => {
    const before = stops().length
    const made = JSON.parse(await ask('/aap/v3/sessions', { agent: { name: 'assistant' } })) as { sessionId: string }
    const id = made.sessionId
    const content = `!${kind}!`
    expect(await ask(`/aap/v3/sessions/${id}/turns`, { messages: [{ role: 'user', content }] })).toContain('stopReason')
    await ask(`/api/sessions/${id}/messages`)
    await ask(`/aap/v3/sessions/${id}/history?type=full`)
    await ask(`/api/polylogue/sessions/${id}/doors?limit=1000`)
    // Later than the last stop: its length is written by then.
    await ask('/api/polylogue/status')
    expect(
      Math.max(
        0,
        ...stops()
          .slice(before - 1)
          .map(Number),
      ),
    ).toBeLessThan(LONGEST_STOP_MS)
  },
  60_000,
)

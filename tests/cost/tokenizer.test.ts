import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'

/** Makes Node say when it loads a module of the tokenizer. */
const TELL_LOADS = `--import=data:text/javascript,${encodeURIComponent(
  "import { registerHooks } from 'node:module'; registerHooks({ load(url, context, next) { " +
    "if (url.includes('gpt-tokenizer')) process.stderr.write('LOADS ' + url + '\\n'); return next(url, context) } })",
)}`

let dir: string
let provider: Server
let server: ServerProcess

/** Speaks the widely copied chat format, says one word, and counts no tokens. */
function startProvider(): Promise<Server> {
  const delta = (content: string, finish: string | null) =>
    `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`
  const made = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`${delta('fine', null)}${delta('', 'stop')}data: [DONE]\n\n`)
    })
  })
  return new Promise((resolve) => made.listen(0, '127.0.0.1', () => resolve(made)))
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'polylogue-tokenizer-'))
  provider = await startProvider()
  const { port } = provider.address() as AddressInfo
  const agent = { name: 'small', instructions: 'Be brief.', model: 'here/model', contextWindow: 2_000 }
  const providers = { here: { baseUrl: `http://127.0.0.1:${port}/v1` } }
  await writeFile(join(dir, 'polylogue.config.json'), JSON.stringify({ agents: [agent], providers }))
  const environment = { NODE_OPTIONS: TELL_LOADS }
  server = await startServerProcess({ dataDir: join(dir, 'data'), startDir: dir, environment })
})

afterAll(async () => {
  await server.stop()
  await new Promise((resolve) => provider.close(resolve))
  await rm(dir, { recursive: true })
})

describe('the tokenizer', () => {
  it('is not loaded before a conversation comes near the window of its model', async () => {
    const session = await openSession(server.client(V3), { agent: 'small' })
    expect(await session.turn('Hello')).toMatchObject({ stopReason: 'end_turn' })
    expect(server.output).not.toContain('LOADS')
    expect(await session.turn('word '.repeat(1100))).toMatchObject({ stopReason: 'end_turn' })
    expect(server.output).toContain('LOADS')
  })
})

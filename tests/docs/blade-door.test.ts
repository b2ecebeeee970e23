import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { ROOT, readRepositoryPage } from './repository-pages.ts'

const page = readRepositoryPage('docs/doors/blade.md')
const run = promisify(execFile)
const END_WITHIN_MS = 20_000
let server: TestServer

beforeAll(async () => {
  // The demo model answers: a newcomer has no other.
  server = await startTestServer({ scripted: false })
})
afterAll(() => server.stop())

function blockIn(language: string): string {
  const block = page.blocks.find(({ words }) => words[0] === language && words[1] === 'run')
  if (block === undefined) throw new Error(`${page.path} shows nothing to run in ${language}`)
  return block.text
}

const environment = () => ({ ...process.env, KEY: server.key, BLADE_URL: server.url })

describe('the quick starts of the Blade door', () => {
  it('with curl print what the page shows', async () => {
    const commands = blockIn('sh').replaceAll('http://127.0.0.1:8020', server.url)
    const { stdout } = await run('bash', ['-eu', '-c', commands], {
      env: environment(),
      timeout: END_WITHIN_MS,
    })
    const answers = stdout.trim().replaceAll('}{', '}\n{').split('\n')
    expect(answers.map((answer): unknown => JSON.parse(answer))).toMatchObject([
      { items: [{ id: 'assistant' }, { id: 'coder' }] },
      { status: 'created', intent: 'Say hello', is_pinned: false },
      { is_pinned: true },
      { total: 1, items: [{ intent: 'Say hello' }] },
      { content: 'I drink green tea.' },
    ])
  })

  it('with JavaScript chat', async () => {
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', blockIn('js')], {
      cwd: ROOT,
      env: environment(),
      timeout: END_WITHIN_MS,
    })
    const [ack, ...said] = stdout.trim().split('\n')
    expect([ack, said.at(-1)]).toEqual(['ok', 'completed'])
    expect(said.join(' ').length).toBeGreaterThan(50)
  })
})

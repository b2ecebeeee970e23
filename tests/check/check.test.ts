// `polylogue check` on our server, and on servers with faults.
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { runPolylogue, startPolylogue } from '../cli/run-polylogue.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { AAP_FAULTS, startFaultyAap } from './faulty-aap.ts'
import { BLADE_FAULTS, startFaultyBlade } from './faulty-blade.ts'

const POLYLOGUE = fileURLToPath(new URL('../../polylogue', import.meta.url))
const FAULTY_ACP = fileURLToPath(new URL('faulty-acp.mjs', import.meta.url))
const ACP_FAULTS = ['1', '8', '11', '16', '22', '26', '33', '38', '45', '80', '82a', '85']

// A check makes dozens of requests, and a process for each rule of ACP.
vi.setConfig({ testTimeout: 120_000 })

interface Result {
  readonly rule: string
  readonly says: string
  readonly basis: string
  readonly verdict: string
  readonly reason?: string
}

let dir: Awaited<ReturnType<typeof createTempDir>>
let server: ServerProcess
beforeAll(async () => {
  dir = await createTempDir()
  server = await startServerProcess({ dataDir: dir.path })
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

async function check(...args: readonly string[]) {
  const { code: exitCode, stdout, stderr } = await runPolylogue(['check', ...args, '--json'], { cwd: dir.path })
  const { results } = JSON.parse(stdout === '' ? '{"results":[]}' : stdout) as { results: readonly Result[] }
  const of = (verdict: string) => results.filter((result) => result.verdict === verdict)
  return { exitCode, results, stderr, failed: of('fail'), passed: of('pass'), skipped: of('not applicable') }
}

const sorted = (rules: readonly string[]): readonly string[] => rules.toSorted()
const rulesOf = (results: readonly Result[]): readonly string[] => sorted(results.map(({ rule }) => rule))
const acp = (): string => `${POLYLOGUE} acp --agent scripted --data ${dir.path}`

describe('our server', () => {
  it.each([
    ['AAP version 3', () => [`${server.url}/aap/v3`], 50],
    ['AAP version 1', () => [`${server.url}/aap/v1`], 50],
    ['Blade', () => ['--blade', server.url, '--agent', 'scripted'], 35],
  ])('keeps every rule of %s', async (_, target, least) => {
    const { exitCode, failed, skipped, passed } = await check(...target(), '--key', server.key)
    expect([failed, skipped, exitCode]).toEqual([[], [], 0])
    expect(passed.length).toBeGreaterThanOrEqual(least)
  })

  it('keeps the rules of ACP that the faulty one breaks', async () => {
    const { exitCode, passed } = await check('--acp', acp(), '--rules', ACP_FAULTS.join(','))
    expect([rulesOf(passed), exitCode]).toEqual([sorted(ACP_FAULTS), 0])
  })
})

describe('a server with twelve faults fails exactly the rules that it breaks', () => {
  it.each([3, 1] as const)('AAP version %s', async (version) => {
    const faulty = await startFaultyAap(server.url, version)
    onTestFinished(() => faulty.stop())
    const { failed, exitCode } = await check(`${faulty.url}/aap/v${version}`, '--key', server.key)
    expect([rulesOf(failed), exitCode]).toEqual([sorted(AAP_FAULTS[version]), 1])
    expect(AAP_FAULTS[version]).toHaveLength(12)
  })

  it('Blade', async () => {
    const faulty = await startFaultyBlade(server.url)
    onTestFinished(() => faulty.stop())
    const { failed, exitCode } = await check('--blade', faulty.url, '--key', server.key, '--agent', 'scripted')
    expect([rulesOf(failed), exitCode]).toEqual([sorted(BLADE_FAULTS), 1])
    expect(BLADE_FAULTS).toHaveLength(12)
  })

  it('ACP', async () => {
    const { failed, exitCode } = await check('--acp', `${process.execPath} ${FAULTY_ACP} ${acp()}`)
    expect([rulesOf(failed), exitCode]).toEqual([sorted(ACP_FAULTS), 1])
    expect(ACP_FAULTS).toHaveLength(12)
  })
})

it('an agent with a model of its own is checked with the script model', async () => {
  const own = await createTempDir()
  const model = startPolylogue(['check', '--script-model', '0'], { cwd: own.path })
  onTestFinished(async () => {
    model.process.kill('SIGTERM')
    await model.finished
    await own.remove()
  })
  await model.says('/v1')
  const config = {
    providers: { lab: { baseUrl: model.output().stdout.trim() } },
    agents: [{ name: 'foreign', instructions: 'Answer.', model: 'lab/script' }],
  }
  await writeFile(join(own.path, 'polylogue.config.json'), JSON.stringify(config))
  const foreign = await startServerProcess({ dataDir: own.path })
  onTestFinished(() => foreign.kill())
  const rules = ['46', '74', '75', '80', '83', '84', '86', '47', '77']
  const args = [`${foreign.url}/aap/v3`, '--key', foreign.key, '--agent', 'foreign', '--rules', rules.join(',')]
  const { results } = await check(...args)
  expect(results.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
  expect(results).toHaveLength(rules.length)
})

describe('a check runs to its end', () => {
  it('on a server that knows little more than its metadata', async () => {
    const meta = { version: 3, agents: [{ name: 'a', version: '1.0.0', capabilities: { stream: { delta: {} } } }] }
    const poor = createServer((incoming, outgoing) => {
      if (incoming.url === '/meta') return void outgoing.end(JSON.stringify(meta))
      // Breaks off some answers, and gives others that make no sense.
      if (incoming.method === 'GET') return void incoming.socket.destroy()
      outgoing.writeHead(500).end('<html>')
    })
    await new Promise<void>((resolve) => poor.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void poor.close())
    const { results, passed, failed, exitCode } = await check(
      `http://127.0.0.1:${(poor.address() as AddressInfo).port}`,
    )
    expect([results.length > 50, exitCode]).toEqual([true, 1])
    expect(rulesOf(passed)).toEqual(expect.arrayContaining(['1', '2', '4']))
    expect(rulesOf(failed)).toEqual(expect.arrayContaining(['13', '18', '36']))
  })

  it('on a command that ends at once', async () => {
    const { results, failed, exitCode } = await check('--acp', 'true')
    expect([results.length > 30, exitCode]).toEqual([true, 1])
    expect(failed[0]?.reason).toMatch(/^the command ended before /)
  })
})

describe('the report', () => {
  it('is a table with the rule, the reason and a summary', async () => {
    const faulty = await startFaultyAap(server.url, 3)
    onTestFinished(() => faulty.stop())
    const args = ['check', `${faulty.url}/aap/v3`, '--key', server.key, '--rules', '16,18']
    const { stdout } = await runPolylogue(args, { cwd: dir.path })
    expect(stdout).toContain('pass  16  GET and DELETE accept `Content-Type: application/json` without a body.\n')
    expect(stdout).toContain('FAIL  18  `POST /sessions` answers 201 with a `sessionId`.\n')
    expect(stdout).toContain('status: expected 201, received 200\n')
    expect(stdout).toContain('1 passed, 1 failed, 0 not applicable\n')
  })

  it('says what an agent without scripts cannot be asked, and how to provide one', async () => {
    const { skipped, exitCode } = await check(
      `${server.url}/aap/v3`,
      '--key',
      server.key,
      '--agent',
      'assistant',
      '--rules',
      '74',
    )
    expect([rulesOf(skipped), exitCode]).toEqual([['74'], 0])
    expect(skipped[0]?.reason).toContain('does not follow scripts')
  })

  it('fails with 2 where there is no server', async () => {
    const { exitCode, stderr } = await check('http://127.0.0.1:9/aap/v3')
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('http://127.0.0.1:9/aap/v3 cannot be checked: ')])
  })
})

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { type BareMachine, createBareMachine } from './bare-machine.ts'
import { startFakeModelServer } from './fake-model-server.ts'
import { shownLines } from './shown-lines.ts'

const runProgram = promisify(execFile)

let machine: BareMachine
beforeEach(async () => {
  machine = await createBareMachine()
})
afterEach(() => machine.remove())

describe('a newcomer without a key', () => {
  it('reads in the banner that a demo answers, and how to get a real model', async () => {
    const { banner } = await machine.serve()
    expect(banner).toContain('Model    A built-in demo answers: no AI, no account, no network.\n')
    expect(banner).toMatch(
      /For a real model set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or start Ollama\./,
    )
  })

  it('reads in the banner which agents lack a key, and which variable would give it', async () => {
    const agents = [{ name: 'helper', instructions: 'Help.', model: 'openai/gpt-x' }]
    await writeFile(join(machine.path, 'polylogue.config.json'), JSON.stringify({ agents }))
    expect((await machine.start(['trust']).finished).code).toBe(0)
    const { banner } = await machine.serve()
    expect(banner).toContain('No key   helper has no API key for openai/gpt-x: set OPENAI_API_KEY.\n')
    const { stdout } = await machine.start(['doctor']).finished
    expect(stdout).toContain('helper has no API key for openai/gpt-x: set OPENAI_API_KEY.')
  })

  it('is shown around, and sees the words come one by one', async () => {
    await machine.serve()
    const running = machine.start(['run', 'Hello! What can you do?'])
    await running.says('welcome to Polylogue')
    expect(running.output().stdout).not.toContain('An agent of your own')
    const { code, stdout } = await running.finished
    expect(code).toBe(0)
    expect(stdout).toContain('a scripted guide, no AI')
    expect(stdout).toContain('\n9. An agent of your own\n')
  })

  it('uses a tool that only reads without being asked, and is asked before one that writes', async () => {
    const reading = await machine.start(['run', 'what time is it in Tokyo?']).finished
    expect(reading.code).toBe(0)
    expect(reading.stdout).toMatch(/`CurrentTime` answered: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d Asia\/Tokyo \(GMT\+9\)/)
    const writing = await machine.start(['run', 'note: buy milk']).finished
    expect(writing.code).toBe(3)
    expect(writing.stderr).toMatch(/^Waiting: The agent asks to run KeepNote\..*\n {2}\{"text":"buy milk"\}$/m)
  })
})

describe('the steps of the guide', () => {
  const told = new Map<string, string>()
  beforeAll(async () => {
    const dir = await createTempDir()
    const server = await startServerProcess({ dataDir: dir.path, environment: { POLYLOGUE_MODEL: 'demo' } })
    const session = await openSession(server.client(V3), { agent: 'assistant', options: { pace: 'fast' } })
    for (const number of ['7', '8', '9']) told.set(number, (await session.play('none', number)).text)
    await server.stop()
    await dir.remove()
  })
  const linesOf = (number: string): string => shownLines(told.get(number) ?? '')

  it('works unchanged in a shell', { timeout: 60_000 }, async () => {
    const { url } = await machine.serve()
    expect(linesOf('7')).toContain('http://127.0.0.1:8020/aap/v3')
    const { stdout } = await runProgram('sh', ['-euc', linesOf('7').replaceAll('http://127.0.0.1:8020', url)], {
      cwd: machine.path,
      env: { ...process.env, ...machine.environment },
    })
    expect(stdout).toContain('"name":"CurrentTime"')
    expect(stdout).toMatch(/event: tool_result\n.*GMT/)
    expect(stdout).toContain('"stopReason":"end_turn"')
    expect(stdout).toContain('{"history":{"full":[{"role":"user","content":"2"}')
    expect(stdout).toMatch(/`CurrentTime` answered: .* Asia\/Tokyo/)
    expect(stdout).toMatch(/coder +idle +.*what time is it in Tokyo\?/)
  })

  it('for an agent of their own works unchanged', async () => {
    await writeFile(join(machine.path, 'polylogue.config.ts'), `${linesOf('9')}\n`)
    expect((await machine.start(['trust']).finished).code).toBe(0)
    const { code, stdout } = await machine.start(['run', 'use roll_dice {"sides": 6}']).finished
    expect(code).toBe(0)
    expect(stdout).toMatch(/`roll_dice` answered: You rolled [1-6]\./)
  })

  it('for a real model gives one, for every line', { timeout: 60_000 }, async () => {
    const models = await startFakeModelServer(['Hello'])
    onTestFinished(() => models.stop())
    const lines = linesOf('8').split(/\n+/)
    const chosen: string[] = []
    for (const line of lines) {
      const [, name = '', value = ''] = /^(\w+)=(\S+) npm start$/.exec(line) ?? []
      const { banner, server } = await machine.serve({ [name]: value.replace(/http:\S+/, models.baseUrl) })
      chosen.push(`${name} ${/^Model +(\w+)\//m.exec(banner)?.[1]}`)
      server.process.kill('SIGTERM')
      await server.finished
    }
    expect(chosen).toEqual([
      'ANTHROPIC_API_KEY anthropic',
      'OPENAI_API_KEY openai',
      'GEMINI_API_KEY google',
      'OPENAI_BASE_URL openai',
      'POLYLOGUE_MODEL ollama',
    ])
  })
})

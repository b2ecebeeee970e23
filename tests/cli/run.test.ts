import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CountingAgent, prepareCountingAgent } from '../support/counting-agent.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { type Finished, pipeToHead, runPolylogue, startAtTerminal, startPolylogue } from './run-polylogue.ts'

let dir: TempDir
let counting: CountingAgent
beforeAll(async () => {
  counting = await prepareCountingAgent()
})
afterAll(() => counting.remove())
beforeEach(async () => {
  dir = await createTempDir()
})
afterEach(() => dir.remove())

const scripted = (...args: readonly string[]) => ['run', '--data', dir.path, '--agent', 'scripted', ...args]
const run = (...args: readonly string[]): Promise<Finished> => runPolylogue(scripted(...args), { cwd: dir.path })
/** The same model with tools that are not harmless. */
const unsafe = (...args: readonly string[]) => [
  ...['run', '--data', dir.path, '--config', counting.configFile, '--agent', 'counting'],
  ...args,
]
const runUnsafe = (...args: readonly string[]): Promise<Finished> =>
  runPolylogue(unsafe(...args), { cwd: dir.path, environment: counting.environment })
const callCount = (run: string): string => `call c1 count {"run":"${run}"}`
const sessionIn = ({ stderr }: Finished): string => /^session (\S+)$/m.exec(stderr)?.[1] ?? ''

interface WireLine {
  readonly event: string
  readonly sessionId?: string
}
const linesOf = ({ stdout }: Finished): WireLine[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as WireLine)

describe('polylogue run, alone', () => {
  it('writes the answer to stdout, nothing else, and exits with 0', async () => {
    const finished = await run('think Hm\nsay Hello there')
    expect(finished).toMatchObject({ code: 0, stdout: 'Hello there\n' })
    expect(finished.stderr).toBe(`session ${sessionIn(finished)}\n`)
  })

  it('takes the default agent when none is named', async () => {
    const { code, stdout } = await runPolylogue(['run', '--data', dir.path, 'hello'], { cwd: dir.path })
    expect(code).toBe(0)
    expect(stdout).toContain('Polylogue')
  })

  it('reads the prompt from stdin', async () => {
    const { code, stdout } = await runPolylogue(scripted('-'), { cwd: dir.path, input: 'say From a pipe\n' })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'From a pipe\n' })
  })

  it('prints one JSON object for every event of the wire', async () => {
    const finished = await run('--json', 'think Hm\nsay a b\ncall c1 hidden {"msg":"x"}')
    expect(finished).toMatchObject({ code: 0, stderr: '' })
    const [first, ...rest] = linesOf(finished)
    expect(first).toEqual({ event: 'turn_start', sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(rest).toEqual([
      { event: 'thinking_delta', delta: 'Hm' },
      { event: 'text_delta', delta: 'a ' },
      { event: 'text_delta', delta: 'b' },
      { event: 'tool_call', toolCallId: 'c1', name: 'hidden', input: { msg: 'x' } },
      { event: 'tool_result', toolCallId: 'c1', content: 'x' },
      { event: 'text_delta', delta: 'RESULTS ' },
      { event: 'text_delta', delta: '1: ' },
      { event: 'text_delta', delta: 'x' },
      { event: 'turn_stop', stopReason: 'end_turn' },
    ])
  })

  it('shows the answer of an agent that cannot stream', async () => {
    const args = ['run', '--data', dir.path, '--agent', 'scripted-min']
    expect(await runPolylogue([...args, 'say a b'], { cwd: dir.path })).toMatchObject({ code: 0, stdout: 'a b\n' })
    const json = await runPolylogue([...args, '--json', 'say a b'], { cwd: dir.path })
    expect(linesOf(json).map(({ event }) => event)).toEqual(['turn_start', 'text', 'turn_stop'])
  })

  it('continues with a session', async () => {
    const first = await run('say one')
    const second = await run('--session', sessionIn(first), 'show messages')
    expect(second.code).toBe(0)
    expect(second.stdout).toContain('say one')
    expect(sessionIn(second)).toBe(sessionIn(first))
  })

  it('exits with 1 when the turn fails, and keeps the text so far', async () => {
    const finished = await run('say half\nfail')
    expect(finished).toMatchObject({ code: 1, stdout: 'half\n' })
    expect(finished.stderr).toContain('The turn failed: ')
  })

  it('exits with 0 and a word when the model declines or is cut off', async () => {
    expect(await run('stop refusal')).toMatchObject({ code: 0, stderr: expect.stringContaining('declined') })
    expect(await run('stop max_tokens')).toMatchObject({ code: 0, stderr: expect.stringContaining('token limit') })
  })

  it.each([
    [['--agent', 'nobody', 'hi'], 'There is no agent "nobody". Agents: assistant, coder.'],
    [['--config', 'missing.json', 'hi'], 'missing.json'],
    [['--session', 'not-a-session', 'hi'], ''],
  ])('refuses %j with a sentence', async (args: string[], sentence) => {
    const { code, stdout, stderr } = await runPolylogue(['run', '--data', dir.path, ...args], { cwd: dir.path })
    expect(code).not.toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^polylogue: .+\n$/)
    expect(stderr).toContain(sentence)
  })

  it('runs a tool that only reads without a question', async () => {
    const finished = await run('call c1 echo {"msg":"hi"}\ncall c2 slow {"ms":1}')
    expect(finished).toMatchObject({ code: 0, stdout: 'RESULTS 2: hi|waited 1 ms\n' })
    expect(finished.stderr).toContain('→ echo {"msg":"hi"}\n→ slow {"ms":1}\n← hi\n← waited 1 ms\n')
  })

  it('never approves without a terminal: it leaves the turn waiting and exits with 3', async () => {
    const mark = counting.nextRun()
    const finished = await runUnsafe(`say Look\n${callCount(mark)}`)
    expect(finished).toMatchObject({ code: 3, stdout: 'Look\n' })
    expect(finished.stderr).toContain(`→ count {"run":"${mark}"}`)
    expect(finished.stderr).toMatch(
      new RegExp(`^Waiting: The agent asks to run count\\..*\\n {2}\\{"run":"${mark}"\\}$`, 'm'),
    )
    expect(await counting.timesRun(mark)).toBe(0)
  })

  it('says how to take the turn up, in a line that does it', async () => {
    const finished = await runUnsafe(callCount(counting.nextRun()))
    const line = /^ {2}polylogue (run --session \S+ .*)$/m.exec(finished.stderr)?.[1] ?? ''
    const again = await runPolylogue(line.split(' '), { cwd: dir.path, environment: counting.environment })
    expect(again.code).toBe(3)
    expect(sessionIn(again)).toBe(sessionIn(finished))
  })

  it('with --json ends at the wait too', async () => {
    const finished = await runUnsafe('--json', callCount(counting.nextRun()))
    expect(finished.code).toBe(3)
    expect(linesOf(finished).at(-1)).toEqual({ event: 'turn_stop', stopReason: 'tool_use' })
  })

  it('cancels the turn on Ctrl-C, waits for its end and exits with 130', async () => {
    const running = startPolylogue(scripted('say Well\nsleep 600000\nsay never'), { cwd: dir.path })
    await running.says('Well')
    running.process.kill('SIGINT')
    const finished = await running.finished
    expect(finished).toMatchObject({ code: 130, stdout: 'Well\n' })
    expect(finished.stderr).toContain('Cancelled.')
    const shown = await runPolylogue(['sessions', 'show', '--data', dir.path, sessionIn(finished)], { cwd: dir.path })
    expect(shown.stdout).toContain('idle (cancelled)')
  })

  it.each(['', '2>&1 '])('%scancels the turn when its reader, such as head, has seen enough', async (redirection) => {
    const { stdout } = await pipeToHead(scripted('tokens 20000\nsleep 600000'), redirection)
    expect(stdout).toBe('x x ')
    const listed = await runPolylogue(['sessions', 'list', '--json', '--data', dir.path], { cwd: dir.path })
    expect(JSON.parse(listed.stdout)).toMatchObject([{ status: 'idle' }])
  })

  it('says that there is nothing to continue in a session that rests', async () => {
    const first = await run('say one')
    const second = await run('--session', sessionIn(first))
    expect(second).toMatchObject({ code: 0, stdout: '' })
    expect(second.stderr).toContain('nothing waits for an answer')
  })
})

describe('polylogue run, at a terminal', () => {
  const environment = { NO_COLOR: '1' }

  const startUnsafe = (...args: readonly string[]) =>
    startAtTerminal(unsafe(...args), { cwd: dir.path, environment: { ...environment, ...counting.environment } })

  it('asks, runs the tool once after a yes, and continues', async () => {
    const mark = counting.nextRun()
    const running = startUnsafe(`think Hm\n${callCount(mark)}`)
    await running.says('Allow it? [y/n]')
    expect(await counting.timesRun(mark)).toBe(0)
    running.process.stdin.write('y\n')
    const { code, stdout } = await running.finished
    expect(code).toBe(0)
    expect(stdout).toContain('Hm')
    expect(stdout).toContain(`RESULTS 1: counted ${mark}`)
    expect(await counting.timesRun(mark)).toBe(1)
  })

  it('shows everything that would run, at any length', async () => {
    const input = JSON.stringify({ reason: `first ${'x'.repeat(300)} last` })
    const running = startUnsafe(`call c1 explode ${input}`)
    await running.says('Allow it? [y/n]')
    running.process.stdin.write('y\n')
    const { code, stdout } = await running.finished
    expect(code).toBe(0)
    expect(stdout).toContain(`  ${input}`)
    expect(stdout).toMatch(/RESULTS 1: .*first xxx/)
  })

  it('asks about a tool that is not exposed to clients', async () => {
    const config = fileURLToPath(new URL('own-business.config.ts', import.meta.url))
    const args = ['run', '--data', dir.path, '--config', config, 'call c1 tidy {}']
    const running = startAtTerminal(args, { cwd: dir.path, environment })
    await running.says('Allow it? [y/n]')
    running.process.stdin.write('y\n')
    const { code, stdout } = await running.finished
    expect(code).toBe(0)
    expect(stdout).toContain('RESULTS 1: tidied')
  })

  it('runs a tool that only reads without a question', async () => {
    const running = startAtTerminal(scripted('call c1 echo {"msg":"hi"}'), { cwd: dir.path, environment })
    const { code, stdout } = await running.finished
    expect(code).toBe(0)
    expect(stdout).toContain('RESULTS 1: hi')
    expect(stdout).not.toContain('Allow it?')
  })

  it('reports a denial to the agent', async () => {
    const mark = counting.nextRun()
    const running = startUnsafe(callCount(mark))
    await running.says('Allow it? [y/n]')
    running.process.stdin.write('n\n')
    const { code, stdout } = await running.finished
    expect(code).toBe(0)
    expect(stdout).toContain('RESULTS 1: Tool call denied')
    expect(await counting.timesRun(mark)).toBe(0)
  })

  it('continues a call that has waited since yesterday', async () => {
    const mark = counting.nextRun()
    const waiting = await runUnsafe(callCount(mark))
    const running = startUnsafe('--session', sessionIn(waiting))
    await running.says('Allow it? [y/n]')
    running.process.stdin.write('yes\n')
    const { code, stdout } = await running.finished
    expect(code).toBe(0)
    expect(stdout).toContain(`RESULTS 1: counted ${mark}`)
  })

  it('cancels on Ctrl-C, and leaves the turn waiting when there is no answer', async () => {
    const mark = counting.nextRun()
    const cancelled = startUnsafe(callCount(mark))
    await cancelled.says('Allow it? [y/n]')
    cancelled.process.stdin.write('\u0003')
    expect((await cancelled.finished).code).toBe(130)
    const left = startUnsafe(callCount(mark))
    await left.says('Allow it? [y/n]')
    left.process.stdin.write('\u0004')
    expect((await left.finished).code).toBe(3)
    expect(await counting.timesRun(mark)).toBe(0)
  })

  it('has no colour when NO_COLOR is set, and some otherwise', async () => {
    const escape = '\u001b['
    const plain = startAtTerminal(scripted('think Hm\nsay Hi'), { cwd: dir.path, environment })
    expect((await plain.finished).stdout).not.toContain(escape)
    const painted = startAtTerminal(scripted('think Hm\nsay Hi'), { cwd: dir.path })
    expect((await painted.finished).stdout).toContain(`${escape}2mHm${escape}0m`)
  })
})

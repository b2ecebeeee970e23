import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { type Finished, runPolylogue, startAtTerminal } from './run-polylogue.ts'

let dir: TempDir
beforeEach(async () => {
  dir = await createTempDir()
})
afterEach(() => dir.remove())

const argsFor = (...args: readonly string[]) => ['run', '--data', dir.path, '--agent', 'scripted', ...args]
const run = (...args: readonly string[]): Promise<Finished> => runPolylogue(argsFor(...args), { cwd: dir.path })
const start = (...args: readonly string[]) =>
  startAtTerminal(argsFor(...args), { cwd: dir.path, environment: { NO_COLOR: '1' } })
const sessionIn = ({ stderr }: Finished): string => /^session (\S+)$/m.exec(stderr)?.[1] ?? ''

const COLOUR = {
  header: 'Colour',
  question: 'Which?',
  options: [{ label: 'Red', description: 'warm' }, { label: 'Blue' }],
}
const SIZES = { question: 'Sizes?', multiSelect: true, options: [{ label: 'Small' }, { label: 'Large' }] }
const asking = (...questions: readonly object[]) => script(call('q', 'AskUserQuestion', { questions }))
const stamping = script(call('b', 'Bash', { command: 'date > stamp.txt' }))
const delegating = (inner: string) =>
  script(call('a', 'Agent', { description: 'Look around', prompt: `${inner}\n---\nsay found` }))

describe('a question of the agent', () => {
  it('is shown with its options and answered by number, asked again until the answer is clear', async () => {
    const running = start(asking(COLOUR))
    await running.says('A number, or your own words: ')
    expect(running.output().stdout).toMatch(
      /The agent has a question for you\.\r\nColour: Which\?\r\n1\. Red: warm\r\n2\. Blue/,
    )
    running.process.stdin.write('7\n')
    await expect.poll(() => running.output().stdout.split('own words: ').length, { timeout: 10_000 }).toBeGreaterThan(2)
    running.process.stdin.write('2\n')
    const { code, stdout } = await running.finished
    expect(code).toBe(0)
    expect(stdout).toContain('RESULTS 1: Blue')
  })

  it('acp build 6: waits for nobody without a terminal: it is shown, the run ends with 3, and the session keeps it', async () => {
    const { code, stderr, stdout } = await run(asking(COLOUR))
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(
      'Waiting: The agent has a question for you.\n  Colour: Which?\n  1. Red: warm\n  2. Blue\n',
    )
    const later = start('--session', sessionIn({ code, stderr, stdout }))
    await later.says('A number, or your own words: ')
    later.process.stdin.write('1\n')
    expect((await later.finished).stdout).toContain('RESULTS 1: Red')
  })

  it('takes several numbers and words, one question after the other', async () => {
    const running = start(asking(COLOUR, SIZES))
    await running.says('A number, or your own words: ')
    running.process.stdin.write('green\n')
    await running.says('Numbers, or your own words: ')
    running.process.stdin.write('1 2\n')
    const { code, stdout } = await running.finished
    expect(code).toBe(0)
    expect(stdout).toMatch(/RESULTS 1: Which\? green\s+Sizes\? Small, Large/)
  })

  it('waits without a terminal, with exit code 3, and is taken up later', async () => {
    const waiting = await run(asking(COLOUR))
    expect(waiting.code).toBe(3)
    expect(waiting.stderr).toContain('Waiting: The agent has a question for you.\n  Colour: Which?\n  1. Red: warm\n')
    const running = start('--session', sessionIn(waiting))
    await running.says('A number, or your own words: ')
    running.process.stdin.write('1\n')
    expect((await running.finished).stdout).toContain('RESULTS 1: Red')
  })

  it('is left waiting when the human leaves', async () => {
    const running = start(asking(COLOUR))
    await running.says('A number, or your own words: ')
    running.process.stdin.write('\u0004')
    expect((await running.finished).code).toBe(3)
  })
})

describe('a sub-agent', () => {
  it('asks for approval as itself, with exactly what will run', async () => {
    const running = start(delegating(stamping))
    await running.says('Allow it? [y/n]')
    expect(running.output().stdout).toContain(
      'The sub-agent “Look around” asks to run Bash. ' +
        "The session's mode asks before calls like this one.\r\n  $ date > stamp.txt\r\n",
    )
    running.process.stdin.write('y\n')
    const { code, stdout } = await running.finished
    expect(code).toBe(0)
    expect(stdout).toContain('RESULTS 1: found')
  })

  it('waits without a terminal', async () => {
    const { code, stderr } = await run(delegating(stamping))
    expect(code).toBe(3)
    expect(stderr).toMatch(/^Waiting: The sub-agent “Look around” asks to run Bash\..*\n {2}\$ date > stamp\.txt$/m)
  })

  it('asks questions too', async () => {
    const running = start(delegating(asking(COLOUR)))
    await running.says('A number, or your own words: ')
    expect(running.output().stdout).toContain('The sub-agent “Look around” has a question for you.')
    running.process.stdin.write('1\n')
    expect((await running.finished).stdout).toContain('RESULTS 1: found')
  })
})

describe('--preset', () => {
  it('decides what runs unasked', async () => {
    const full = await run('--preset', 'full-access', stamping)
    expect(full).toMatchObject({ code: 0, stdout: 'RESULTS 1: (no output)\n' })
    const plan = await run('--preset', 'plan', stamping)
    const reads = 'except for single commands that only read, such as ls, grep or git diff'
    const said = `RESULTS 1: Error: the tool Bash is not allowed in mode plan, ${reads}\n`
    expect(plan).toMatchObject({ code: 0, stdout: said })
  })

  it('changes that of a session', async () => {
    const first = await run('say one')
    const second = await run('--session', sessionIn(first), '--preset', 'read-only', stamping)
    expect(second.stdout).toContain('is not allowed in mode read-only')
  })

  it('is one of four', async () => {
    const { code, stderr } = await run('--preset', 'everything', 'say one')
    expect(code).toBe(2)
    expect(stderr).toContain('Allowed choices are read-only, workspace-write, full-access, plan.')
  })
})

import { readdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { call, script } from '../support/script.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { runPolylogue } from './run-polylogue.ts'
import { openTmux, type TmuxTerminal } from './tmux-terminal.ts'

vi.setConfig({ testTimeout: 240_000 })

let dir: TempDir
beforeEach(async () => {
  dir = await createTempDir()
})
afterEach(() => dir.remove())

const COLUMNS = 40
const PROMPT = /\/help shows the commands\.\n[^>]*\n>$/
const scripted = (verb: string, ...args: readonly string[]) => [
  ...[verb, '--data', join(dir.path, 'data'), '--agent', 'scripted'],
  ...args,
]
const chat = (...args: readonly string[]): Promise<TmuxTerminal> =>
  openTmux(scripted('chat', ...args), { cwd: dir.path, columns: COLUMNS })
const stamp = (id: string): string => call(id, 'Bash', { command: 'date > stamp.txt' })
const question = (id: string): string =>
  call(id, 'AskUserQuestion', {
    questions: [{ question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] }],
  })

const hex = (text: string): readonly string[] => [...Buffer.from(text)].map((byte) => byte.toString(16))

describe('polylogue chat in a terminal of 40 columns', () => {
  it('shows Markdown, asks for an approval with its scopes, takes more turns and leaves', async () => {
    await using terminal = await chat()
    await terminal.shows(PROMPT)
    await terminal.enter(script('say ## The plan', 'say ', 'say - an item with **bold** words that need two lines'))
    await terminal.shows(/^The plan$/m)
    await terminal.shows(/^ {2}lines\n>$/m)
    expect(await terminal.rows()).toContain('• an item with bold words that need two')

    const edit = call('w', 'Write', { path: 'notes.txt', content: 'first\nsecond\n' })
    await terminal.enter(script(stamp('a'), '---', edit, '---', 'say Stamped.'))
    await terminal.shows('Allow it? [y/n/1/2]')
    expect(await terminal.text()).toMatch(/^ {2}\$ date > stamp\.txt\n1\. Always allow `date > stamp\.txt`/m)
    await terminal.enter('1')
    await terminal.shows(/ {2}\+ second\n {2}└ Created notes\.txt.*\nStamped\.\n>$/)

    await terminal.enter(stamp('b'))
    await terminal.shows(/RESULTS 1: \(no output\)\n>$/)
    expect((await terminal.text()).split('Allow it?')).toHaveLength(2)

    await terminal.enter(call('e', 'Edit', { path: 'notes.txt', oldText: 'sec', newText: 'SEC' }))
    await terminal.shows(/^ {2}- second\n {2}\+ SECond\n {2}└ Edited notes\.txt/m)
    await terminal.enter('/undo')
    await terminal.shows(/^• notes\.txt: restored\n>$/m)
    await terminal.enter('/undo')
    await terminal.shows(/^• notes\.txt: removed\n>$/m)

    await terminal.enter('/quit')
    expect(await terminal.exitCode()).toBe(0)
    expect(await terminal.text()).toMatch(/Continue with:\n {2}polylogue chat --session [0-9a-f-]{36} /)
  })

  it('streams the answer; Ctrl-C cancels the turn first, and leaves at two more presses', async () => {
    await using terminal = await chat()
    await terminal.shows(PROMPT)
    await terminal.enter(script('say Streamed at once', 'sleep 600000'))
    await terminal.shows(/^Streamed at/m)
    await terminal.press('C-c')
    await terminal.shows(/Cancelled\.\n>$/)
    await terminal.enter('say Still here')
    await terminal.shows(/\nStill here\n>$/)
    await terminal.enter(stamp('a'))
    await terminal.shows('Allow it?')
    await terminal.press('C-c')
    await terminal.shows(/Allow it\? \[y\/n\/1\/2\]\s+Cancelled\.\n>$/)
    await terminal.press('C-c')
    await terminal.shows(/Press Ctrl-C again to leave\.\n>$/)
    await terminal.press('C-c')
    expect(await terminal.exitCode()).toBe(0)
  })

  it('Esc cancels the turn, and what is typed while one runs comes to the next prompt', async () => {
    await using terminal = await chat('--directory', dir.path)
    await terminal.shows(PROMPT)
    await terminal.enter(script('say Streamed at once', 'sleep 600000'))
    await terminal.shows(/^Streamed at/m)
    await terminal.press('Escape')
    await terminal.shows(/Cancelled\.\n>$/)
    await terminal.enter(script('say Asked at once', 'sleep 600000'))
    await terminal.shows(/^Asked at/m)
    await terminal.enter('say Typed ahead')
    await terminal.press('Escape')
    await terminal.shows(/Cancelled\.\n> say Typed ahead\nTyped ahead\n>$/)
  })

  it('opens a waiting session, shows its messages and asks', async () => {
    const waiting = await runPolylogue(scripted('run', stamp('a')), { cwd: dir.path })
    expect(waiting.code).toBe(3)
    await using terminal = await chat('--session')
    await terminal.shows('Which one? [1-1, Enter: none]')
    await terminal.enter('1')
    await terminal.shows('Allow it? [y/n/1/2]')
    expect(await terminal.text()).toContain('> call a Bash')
    await terminal.enter('n')
    await terminal.shows(/RESULTS 1: Tool call denied\n>$/)
    await terminal.press('C-d')
    expect(await terminal.exitCode()).toBe(0)
  })

  it.each([
    ['an approval', stamp('a'), /Allow it\? \[y\/n\/1\/2\/3\/4\]$/, 'n', /RESULTS 1: Tool call denied\n>$/],
    ['a question', question('a'), /or your own words:$/, '2', /RESULTS 1: Blue\n>$/],
  ])('takes nothing that was typed before for an answer to %s', async (_what, asks, shown, answer, told) => {
    await using terminal = await chat('--directory', dir.path)
    await terminal.shows(PROMPT)
    const wait = call('w', 'Bash', { command: 'touch started; until test -e go; do sleep 0.1; done' })
    await terminal.enter(script(wait, '---', asks))
    await terminal.shows(/Allow it\? \S+$/)
    await terminal.enter('y')
    await expect.poll(() => readdir(dir.path), { timeout: 20_000 }).toContain('started')
    // The terminal gets each line before the next command of tmux. The call ends only after that.
    await terminal.enter('y')
    await terminal.enter('1')
    await terminal.enter('yes')
    expect(await terminal.text()).not.toMatch(/^(y|1|yes)$/m)
    await writeFile(join(dir.path, 'go'), '')
    await terminal.shows(shown)
    await terminal.enter(answer)
    await terminal.shows(told)
  })

  it('takes a pasted text as one prompt or answer, however slowly its lines come', async () => {
    await using terminal = await chat('--directory', dir.path)
    await terminal.shows(PROMPT)
    await terminal.press('-H', ...hex('\u001b[200~'))
    await terminal.press('-l', 'say Alpha')
    await terminal.press('Enter')
    await terminal.shows(/^> say Alpha$/m)
    await terminal.press('-l', 'say Beta')
    await terminal.shows(/say Beta$/)
    await terminal.press('-H', ...hex('\u001b[201~'))
    await terminal.press('Enter')
    await terminal.shows(/^Alpha\s*Beta\n>$/m)

    await terminal.enter(question('a'))
    await terminal.shows(/or your own words:$/)
    await terminal.paste('like the sea\nat night\n')
    await terminal.press('Enter')
    await terminal.shows(/RESULTS 1: like the sea\s+at night\n>$/)

    await terminal.enter(stamp('b'))
    await terminal.shows(/Allow it\? \S+$/)
    await terminal.paste('what is this\ny\n')
    await terminal.press('Enter')
    await terminal.shows(/^y: yes, this once\.[^]*\nAllow it\? \S+$/m)
    await terminal.enter('n')
    await terminal.shows(/RESULTS 1: Tool call denied\n>$/)
  })

  it('shows escape sequences of a tool as text', async () => {
    await writeFile(join(dir.path, 'evil.txt'), '\u001b[2J\u001b]0;owned\u0007')
    await using terminal = await chat('--directory', dir.path)
    await terminal.shows(PROMPT)
    await terminal.enter(call('a', 'Read', { path: 'evil.txt' }))
    await terminal.shows(/RESULTS 1:\s+1\s+\\u001b\[2J\\u001b\]0;owned\\u0007\n>$/)
    expect(await terminal.text()).toMatch(/^\/help shows the commands\./)
  })
})

describe('polylogue chat in a terminal of 120 columns', () => {
  it('names agent, model and folder, shows the usage, and changes model and thinking level', async () => {
    const args = scripted('chat', '--directory', dir.path)
    const environment = { ANTHROPIC_API_KEY: 'sk-no-key' }
    await using terminal = await openTmux(args, { cwd: dir.path, columns: 120, environment })
    await terminal.shows(PROMPT)
    const header = (await terminal.text()).replaceAll('\n', ' ')
    expect(header).toContain(`scripted · polylogue/scripted · ${await realpath(dir.path)}`)
    await terminal.enter('/usage')
    await terminal.shows(/^Nothing was used in this session yet\.\n>$/m)
    await terminal.enter(`say Hello ${'and so on '.repeat(200)}to the end`)
    await terminal.shows(/to the end\n>$/)
    await terminal.enter('/usage')
    await terminal.shows(/^1 model call · tokens: \d+ read, \d+ written · cost unknown\n>$/m)
    await terminal.enter('/compact')
    await terminal.shows(/^there is nothing to compact yet\n>$/m)
    await terminal.enter('say Hello again')
    await terminal.shows(/^Hello again\n>$/m)
    await terminal.enter('/compact')
    await terminal.shows(/^Summarized\. The context has about \d+ tokens now\.\n>$/m)
    await terminal.enter('/thinking')
    await terminal.shows(/^No thinking levels are known for polylogue\/scripted\.\n>$/m)
    await terminal.enter('/model anthropic/claude-opus-4-5')
    await terminal.shows(/^From the next turn on: anthropic\/claude-opus-4-5\n>$/m)
    await terminal.enter('/thinking huge')
    await terminal.shows(/^There is no level "huge"\. Levels: default, .*high/m)
    await terminal.enter('/thinking high')
    await terminal.shows(/^From the next turn on: thinking high\n>$/m)
    await terminal.enter('/thinking')
    await terminal.shows(/^Thinking: high\n1\. default\n/m)
    await terminal.enter('1')
    await terminal.shows(/^From the next turn on: thinking default\n>$/m)
  })

  it('says how to get a model where there is none, and lists only sessions in which something was said', async () => {
    const environment = { HOME: dir.path, ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', GEMINI_API_KEY: '' }
    const args = ['chat', '--data', join(dir.path, 'data')]
    await using terminal = await openTmux(args, { cwd: dir.path, columns: 120, environment })
    await terminal.shows(PROMPT)
    expect(await terminal.text()).toMatch(/ · polylogue\/demo\b[^]*A built-in demo answers: no AI[^]*ANTHROPIC_API_KEY/)
    await terminal.enter('/sessions')
    await terminal.shows(/^There are no sessions yet\.\n>$/m)
    await terminal.enter('bye')
    await terminal.shows(/[^>]\n>$/)
    await terminal.enter('/sessions')
    await terminal.shows(/^1\. bye \(coder, [^)]+\)\nWhich one\? \[1-1, Enter: none\]$/m)
  })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startJudgedServer, type Call, type Fate, type JudgedServer } from './judged-server.ts'

const PRESETS = ['read-only', 'workspace-write', 'full-access', 'plan'] as const

let judged: JudgedServer
let home: string
beforeAll(async () => {
  // What a command writes to `~` must not land in the developer's own.
  home = mkdtempSync(join(tmpdir(), 'polylogue-home-'))
  vi.stubEnv('HOME', home)
  judged = await startJudgedServer({
    deny: [{ tool: 'Bash', args: { command: 'forbidden' } }],
    blockHosts: ['blocked.invalid'],
  })
})
afterAll(async () => {
  await judged.stop()
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
})

const bash = (command: string): Call => ({ tool: 'Bash', input: { command } })
const fetching = (url: string): Call => ({ tool: 'WebFetch', input: { url } })
const SIGNS: { readonly [sign: string]: Fate } = { '✓': 'ran', '?': 'asked', '✗': 'denied', '…': 'waits' }

/** A real call for each row of the table. `-`: it would reach the network. */
const ROWS: readonly (readonly [string, Call | (() => Call), string])[] = [
  ['read a file', { tool: 'Read', input: { path: 'a.txt' } }, '✓✓✓✓'],
  ['list files', { tool: 'Glob', input: { pattern: '*' } }, '✓✓✓✓'],
  ['write a file', { tool: 'Write', input: { path: 'a.txt', content: 'x' } }, '✗✓✓✗'],
  ['write through ..', { tool: 'Write', input: { path: '../../x.txt', content: 'x' } }, '✗✗✗✗'],
  ['write outside', () => ({ tool: 'Write', input: { path: `${judged.outside}/x`, content: 'x' } }), '✗✗✗✗'],
  ['read outside', () => ({ tool: 'Read', input: { path: `${judged.outside}/secret.txt` } }), '✗✗✗✗'],
  ['a safe command', bash('ls'), '✗✓✓✓'],
  ['a dangerous command', bash('rm -rf /srv/polylogue-has-none'), '✗✗✓✗'],
  ['a forced delete inside the workspace', bash('rm -rf build'), '✗?✓✗'],
  ['a write to a sensitive file', bash('echo x >> ~/.bashrc'), '✗?✓✗'],
  ['any other command', bash('touch x'), '✗?✓✗'],
  ['a safe command and another', bash('ls; touch x'), '✗?✓✗'],
  ['a pipe into a shell, which may read anything', bash('echo true | sh'), '✗?✓✗'],
  ['a wrapper', bash('env X=1 true'), '✗?✓✗'],
  ['a safe command that writes', bash('git diff --output=f'), '✗?✓✗'],
  ['a command that is not understood', bash('$COMMAND x'), '✗?✓✗'],
  ['a hardline command', bash('mkfs.ext4 /dev/polylogue-has-none'), '✗✗✗✗'],
  ['a hardline command in a shell', bash("bash -c 'mkfs.ext4 /dev/polylogue-has-none'"), '✗✗✗✗'],
  ["what the operator's rule denies", bash('echo forbidden'), '✗✗✗✗'],
  ['fetch from this machine', fetching('http://127.0.0.1:1/'), '✗✗✓✗'],
  ['fetch from a block-listed host', fetching('https://blocked.invalid/'), '✗✗-✗'],
  ['fetch from another host', fetching('https://other.invalid/'), '??-?'],
  ['notes', { tool: 'TodoWrite', input: { todos: [{ content: 'x', status: 'pending' }] } }, '✗✓✓✗'],
  ['a question', { tool: 'AskUserQuestion', input: { questions: [{ question: 'Why?', options: [] }] } }, '…………'],
  ['a readonly tool', { tool: 'echo', input: { msg: 'x' } }, '✓✓✓✓'],
]

describe('acp 10.3: in the mode', () => {
  it.each(PRESETS.map((preset, column) => ({ preset, column })))('$preset', async ({ preset, column }) => {
    const tried = ROWS.filter(([, , signs]) => signs[column] !== '-')
    const sessionId = await judged.openSession(preset)
    const calls = tried.map(([, made]) => (typeof made === 'function' ? made() : made))
    const fates = await judged.tryCalls(sessionId, calls)
    expect(tried.map(([row], index) => `${row}: ${fates[index]}`)).toEqual(
      tried.map(([row, , signs]) => `${row}: ${SIGNS[signs[column] ?? '']}`),
    )
  })

  it('acp 9.4: a change of mode holds from the next call on', async () => {
    const sessionId = await judged.openSession('full-access')
    expect(await judged.tryCalls(sessionId, [bash('touch x')])).toEqual(['ran'])
    await judged.ask('PATCH', `/sessions/${sessionId}`, { preset: 'plan' })
    expect(await judged.tryCalls(sessionId, [bash('touch x')])).toEqual(['denied'])
  })
})

// Whatever a user, a model, a page or a server writes: no terminal gets its control characters, and whoever approves sees
// each hidden character.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Polylogue, startAtTerminal } from '../cli/run-polylogue.ts'
import { createRestClient } from '../blade/rest-client.ts'
import { V3 } from '../support/aap-dialect.ts'
import { askOwner } from '../support/owner-socket.ts'
import { call, script } from '../support/script.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'

const HIDDEN: Readonly<Record<string, string>> = {
  'a window title': '\u001b]0;owned\u0007',
  'a cleared screen': '\u001b[2J',
  'concealed text': '\u001b[8m',
  'a hyperlink': '\u001b]8;;http://evil.example\u001b\\',
  'an 8-bit sequence': '\u009b31m',
  'a carriage return': '\r',
  'a backspace': '\b',
  delete: '\u007f',
  'a bidirectional override': '\u202e',
  'an isolate': '\u2066',
  'a zero-width space': '\u200b',
  'a byte order mark': '\ufeff',
  tags: '\u{e0072}\u{e006d}',
  'a line separator': '\u2028',
}
const LOOK_ALIKES = ['\u2215', '\u2044', '\uff0f', '\u3164', '\u00a0']
const ALL = Object.values(HIDDEN).join('')
const MARKS = `e${'\u0301'.repeat(40)}`
/** Bash refuses half a character; other places take it. */
const HALF = '\ud83d'
const evil = (place: string): string => `${place}${ALL}${place === 'command' ? '' : HALF}${MARKS}end`

/** Colours and what the terminal and the line editor of Node write themselves. */
// oxlint-disable-next-line no-control-regex
const OURS = /\u001b\[(?:0|1|2|31|32|36)?m|\u001b\[\d*[GJKC]|\u001b\[\?2004[hl]|\r+\n|\r(?=\u001b|$)/g
const UNSAFE =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u2028\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]|\u0301{5}/u

const rawIn = (output: string): string | undefined => UNSAFE.exec(output.replace(OURS, '\n'))?.[0]

interface Asked {
  readonly question: string
}

interface WaitingCall {
  readonly sentence: string
  readonly approval?: { readonly offers: readonly { readonly label: string }[] }
}

let folder: string
let server: ServerProcess
let sessionId: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hidden-'))
  await writeFile(
    join(folder, 'polylogue.config.mjs'),
    `export default { mcpServers: { bad: { command: 'sh', args: ['-c', 'printf "\\\\033[2Jno\\\\302\\\\23331m" >&2; exit 1'] } } }\n`,
  )
  server = await startServerProcess({ dataDir: join(folder, 'data'), startDir: folder })
  const owner = (method: string, path: string, body: object) =>
    askOwner(server.dataDir, { method, path: `/api/polylogue${path}`, body })
  const client = server.client(V3)
  const made = await owner('POST', '/sessions', { agent: 'scripted' })
  sessionId = (made.body as { readonly sessionId: string }).sessionId
  await owner('PATCH', `/sessions/${sessionId}`, { title: evil('title') })
  await owner('POST', '/memory', { content: evil('memory'), topic: evil('topic') })
  await owner('POST', '/permissions', { tool: 'Bash', action: 'ask', args: { command: evil('pattern').slice(0, 60) } })
  const waiting = call('c1', 'Bash', { command: `touch ${evil('command')}${LOOK_ALIKES.join('')}` })
  const said = `say ${evil('answer').replaceAll(/[\r\u2028]/g, '')}`
  await client.turn(sessionId, { messages: [{ role: 'user', content: script(said, waiting) }] })
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

const atTerminal = (...args: readonly string[]): Polylogue =>
  startAtTerminal([...args, '--data', server.dataDir], { cwd: tmpdir() })

describe('a terminal', () => {
  const verbs: readonly (readonly [verb: string, ...args: string[]])[] = [
    ['sessions', 'list'],
    ['sessions', 'list', '--json'],
    ['sessions', 'show', 'SESSION'],
    ['sessions', 'export', 'SESSION', '--format', 'markdown'],
    ['memory', 'list'],
    ['memory', 'list', '--json'],
    ['permissions', 'list'],
    ['mcp', 'list'],
    ['mcp', 'test', 'bad'],
    ['mcp', 'test', `none${HIDDEN['a cleared screen']}${HIDDEN['an 8-bit sequence']}`],
  ]
  it.each(verbs.map((words) => [words.slice(0, 4).join(' ').slice(0, 40), words] as const))(
    'gets no control characters from polylogue %s',
    async (_, words) => {
      const { stdout } = await atTerminal(...words.map((word) => (word === 'SESSION' ? sessionId : word))).finished
      expect(rawIn(stdout)).toBeUndefined()
    },
  )
})

describe('an approval', () => {
  it('shows each of them over Blade', async () => {
    const { text } = await createRestClient(server).send('GET', `/sessions/${sessionId}/messages`)
    const [, asked = ''] = /"(\{\\"questions\\":(?:[^"\\]|\\.)*)"/.exec(text) ?? []
    const shown = JSON.parse(String(JSON.parse(`"${asked}"`))) as { readonly questions: readonly Asked[] }
    const question = shown.questions[0]?.question ?? ''
    expect(rawIn(question)).toBeUndefined()
    for (const one of ['\u202e', '\u{e0072}', '\u009b', ...LOOK_ALIKES]) expect(question).toContain(spelled(one))
  })

  it('shows each of them in the list of waiting calls and their offers', async () => {
    const answer = await askOwner(server.dataDir, {
      method: 'GET',
      path: `/api/polylogue/sessions/${sessionId}/waiting`,
    })
    const { calls } = answer.body as { readonly calls: readonly WaitingCall[] }
    const { sentence = '', approval } = calls[0] ?? {}
    const labels = (approval?.offers ?? []).map(({ label }) => label)
    expect(sentence).toContain('asks to run Bash')
    expect([sentence, ...labels].map(rawIn).filter(Boolean)).toEqual([])
  })

  // Last, because the end of the terminal cancels the call.
  it('shows each of them at a terminal', async () => {
    const terminal = atTerminal('run', '--session', sessionId)
    await terminal.says('Allow it?')
    terminal.process.kill()
    const { stdout } = terminal.output()
    expect(rawIn(stdout)).toBeUndefined()
    expect(stdout).toContain(spelled(`${ALL}`))
    for (const one of LOOK_ALIKES) expect(stdout).toContain(spelled(one))
    await terminal.finished
  })
})

function spelled(text: string): string {
  return Array.from(text)
    .map((one) => {
      const code = (one.codePointAt(0) ?? 0).toString(16)
      if (/[ -~]/.test(one)) return one
      return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
    })
    .join('')
}

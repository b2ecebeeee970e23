// Whatever a user, a model, a repository or a server writes: no terminal gets its control characters, and whoever approves,
// answers or reads a name, a title or an error sees each hidden character, at every door.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startAcp } from '../acp/support/acp-process.ts'
import { createRestClient } from '../blade/rest-client.ts'
import { type Polylogue, runPolylogue, startAtTerminal } from '../cli/run-polylogue.ts'
import { V3 } from '../support/aap-dialect.ts'
import { askOwner } from '../support/owner-socket.ts'
import {
  ALL,
  HIDDEN,
  LOOK_ALIKES,
  evil,
  rawIn,
  spelled,
  startHostileServer,
  type HostileServer,
} from './hostile-texts.ts'

let folder: string
let world: HostileServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hidden-'))
  world = await startHostileServer(folder)
})
afterAll(async () => {
  await world.server.stop()
  await rm(folder, { recursive: true })
})

/** What a door shows to people, as one text. Program data (`rawInput`, arguments, conversations) is not part of it. */
type Door = () => Promise<string>

const owner = async (path: string, body?: object): Promise<string> => {
  const { dataDir } = world.server
  const asked = { method: body === undefined ? 'GET' : 'POST', path: `/api/polylogue${path}`, ...(body && { body }) }
  return textsOf((await askOwner(dataDir, asked)).body)
}
const blade = async (path: string, method = 'GET', body?: object): Promise<string> =>
  textsOf(JSON.parse((await createRestClient(world.server).send(method, path, body)).text))
const at = (...args: readonly string[]): Polylogue =>
  startAtTerminal([...args, '--data', world.server.dataDir], { cwd: tmpdir() })
const exported = async (format: string): Promise<string> => {
  const flags = ['--format', format, '--data', world.server.dataDir]
  return (await runPolylogue(['sessions', 'export', world.sessionId, ...flags], { cwd: tmpdir() })).stdout
}

const DOORS: readonly (readonly [door: string, places: readonly string[], show: Door])[] = [
  ['console: what waits', ['touch command', 'file', 'question'], () => owner(`/sessions/${world.sessionId}/waiting`)],
  ['console: titles of sessions', ['title'], () => owner('/sessions')],
  ['console: an error', ['called agent'], () => owner('/sessions', { agent: evil('agent', '') })],
  [
    'Blade: questions',
    ['touch command', 'file', 'content', 'task', 'prompt', 'argument', 'question', 'header', 'label', 'about'],
    bladeQuestions,
  ],
  ['Blade: titles of sessions', ['title'], () => blade('/sessions')],
  ['Blade: schedules', ['task', 'prompt'], () => blade('/scheduled-tasks')],
  ['Blade: an error', [], () => blade('/sessions', 'POST', { solution_id: evil('agent', '') })],
  ['AAP: an error', [], aapError],
  [
    'ACP: permissions, titles, plans and commands',
    ['touch command', 'file', 'content', 'task', 'prompt', 'argument', 'question', 'header', 'label', 'about', 'title'],
    acpTexts,
  ],
  [
    'a page of a session',
    ['touch command', 'content', 'question', 'title', 'result', 'answer'],
    () => exported('html'),
  ],
  [
    'a document of a session',
    ['touch command', 'content', 'question', 'title', 'result', 'answer'],
    () => exported('markdown'),
  ],
  ['the log', [], async () => world.server.output],
]

describe.each(DOORS)('%s', (_door, places, show) => {
  it('spells out every hidden character', async () => {
    const shown = await show()
    expect(shown).not.toBe('')
    expect(rawIn(shown)).toBeUndefined()
    for (const place of places) expect(comparable(shown)).toContain(comparable(`${place}${spelled(FIRST)}`))
  })
})

const FIRST = '\u001b]0;owned'
/** JSON in JSON and Markdown double our backslashes. */
const comparable = (text: string): string => text.replaceAll('\\', '')

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
      const { stdout } = await at(...words.map((word) => (word === 'SESSION' ? world.sessionId : word))).finished
      expect(rawIn(stdout)).toBeUndefined()
    },
  )

  it.each(['chat', 'run'])('gets what it resumes, and the whole call, from polylogue %s', async (verb) => {
    const terminal = at(verb, '--session', await world.openSession())
    await terminal.says('Allow it?')
    terminal.process.kill()
    const { stdout } = terminal.output()
    expect(rawIn(stdout)).toBeUndefined()
    expect(stdout).toContain(spelled(ALL))
    for (const one of LOOK_ALIKES) expect(stdout).toContain(spelled(one))
    await terminal.finished
  })
})

/** All texts in it, without the fields that programs read. */
function textsOf(value: unknown, field = ''): string {
  if (PROGRAM_FIELDS.has(field)) return ''
  if (typeof value === 'string') return `${value}\n`
  if (Array.isArray(value)) return value.map((one) => textsOf(one)).join('')
  if (typeof value !== 'object' || value === null) return ''
  return Object.entries(value)
    .map(([name, one]) => textsOf(one, name))
    .join('')
}
const PROGRAM_FIELDS = new Set(['input', 'rawInput', 'locations', 'diffs', 'what', 'newText', 'oldText', 'path', 'cwd'])

interface BladeMessage {
  readonly tool_calls?: readonly { readonly tool_name: string; readonly arguments: string }[]
}

async function bladeQuestions(): Promise<string> {
  const { text } = await createRestClient(world.server).send('GET', `/sessions/${world.sessionId}/messages`)
  const calls = (JSON.parse(text) as readonly BladeMessage[]).flatMap(({ tool_calls = [] }) => tool_calls)
  const asked = calls.filter(({ tool_name }) => tool_name === 'AskUserQuestion')
  expect(asked).toHaveLength(5)
  for (const one of LOOK_ALIKES)
    expect(asked.map((question) => question.arguments).join('')).toContain(spelled(one).slice(1))
  return textsOf(asked.map((question) => JSON.parse(question.arguments) as unknown))
}

async function aapError(): Promise<string> {
  const { text } = await world.server.client(V3).create({ agent: { name: evil('agent', '') } })
  return textsOf(JSON.parse(text))
}

async function acpTexts(): Promise<string> {
  const acp = startAcp({ dataDir: world.server.dataDir, startDir: world.directory })
  const reject = { outcome: { outcome: 'selected', optionId: 'reject' } }
  acp.onRequest('session/request_permission', () => reject)
  const asked = () => acp.frames.filter(({ method }) => method === 'session/request_permission')
  await acp.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
  const list = await acp.request('session/list', {})
  const sessionId = await world.openSession()
  await acp.request('session/load', { sessionId, cwd: world.directory, mcpServers: [] })
  await acp.frame(() => asked().length === 5, 'five questions')
  const told = acp.updates().filter(({ sessionUpdate }) => SHOWN_UPDATES.has(sessionUpdate))
  acp.kill()
  await acp.exited
  expect(told.length).toBeGreaterThan(0)
  return textsOf([list, asked(), told])
}
const SHOWN_UPDATES = new Set(['tool_call', 'plan', 'session_info_update', 'available_commands_update'])

import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V1, V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { NEXT, call, script, shownToolNames } from '../support/script.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { type Mode, type Serving, type ToolSession, attachToolSession, openToolSession } from './tool-session.ts'
import { writeConfig } from './write-config.ts'

const ALL = [
  ...[
    'Read',
    'Write',
    'Edit',
    'Glob',
    'Grep',
    'Bash',
    'Background',
    'Diagnostics',
    'WebFetch',
    'AskUserQuestion',
    'Agent',
    'TodoWrite',
  ],
  ...['Remember', 'Skill', 'Schedule'],
]
const agent = (name: string, tools: readonly string[]) => ({
  name,
  instructions: 'Follow the script.',
  model: 'scripted',
  tools,
  subAgents: ['mighty'],
})
const CONFIG = {
  agents: [agent('able', ALL), agent('modest', ['Read', 'Agent', 'AskUserQuestion'])],
  permissions: { deny: [{ tool: 'Bash', args: { command: '\\bkubectl\\b' } }] },
}
const MIGHTY = `---\nmodel: scripted\ntools: [${ALL.join(', ')}]\nsubAgents: [mighty]\n---\nDo anything.\n`

let dir: TempDir
let server: TestServer
let ruledKey: string
beforeAll(async () => {
  dir = await createTempDir()
  const startDir = await writeConfig(dir, CONFIG)
  await mkdir(join(startDir, 'agents'))
  await writeFile(join(startDir, 'agents/mighty.md'), MIGHTY)
  server = await startTestServer({ startDir })
  ruledKey = await server.createKey('ruled')
  const added = await exchangeJson({
    method: 'POST',
    url: `${server.url}/api/polylogue/permissions`,
    headers: { authorization: `Bearer ${ruledKey}`, 'content-type': 'application/json' },
    body: { tool: 'Write', action: 'deny' },
  })
  if (added.status !== 201) throw new Error(`no rule: ${added.status} ${added.text}`)
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

const as = (key: string): Serving => ({
  get url() {
    return server.url
  },
  key,
  dataDir: server.dataDir,
  client: (dialect) => server.client(dialect, key),
})

interface Denial {
  readonly by: string
  readonly agent: string
  readonly preset: Mode
  readonly user?: 'ruled'
  act(id: string): string
}

const writing = (id: string): string => call(id, 'Write', { path: `made-${id}`, content: 'x' })
const running = (command: string) => (id: string) => call(id, 'Bash', { command: `${command} made-${id}` })

const DENIALS: readonly Denial[] = [
  { by: 'its agent has no such tool', agent: 'modest', preset: 'full-access', act: writing },
  { by: 'its mode', agent: 'able', preset: 'plan', act: writing },
  { by: 'its mode, of a command', agent: 'able', preset: 'workspace-write', act: running('sudo touch') },
  { by: 'a rule of its user', agent: 'able', preset: 'workspace-write', user: 'ruled', act: writing },
  {
    by: 'a rule of the operator',
    agent: 'able',
    preset: 'full-access',
    act: (id) => call(id, 'Bash', { command: `touch made-${id} # kubectl` }),
  },
]

interface Vehicle {
  readonly by: string
  /** Has the session do it, and returns the ids of the calls that should have been denied. */
  go(session: ToolSession, act: Denial['act']): Promise<readonly string[]>
}

const delegate = (id: string, prompt: string, to?: string) =>
  call(id, 'Agent', { description: 'Do it', prompt, ...(to && { agent: to }) })

const VEHICLES: readonly Vehicle[] = [
  { by: 'the agent itself', go: (session, act) => play(session, act('x'), ['x']) },
  { by: 'a sub-agent', go: (session, act) => play(session, delegate('a', act('x')), ['x']) },
  {
    by: 'a sub-agent of a sub-agent of a sub-agent',
    go: (session, act) => play(session, delegate('a', delegate('b', delegate('c', act('x')))), ['x']),
  },
  {
    by: 'calls side by side',
    go: (session, act) => {
      const ids = Array.from({ length: 8 }, (_, index) => `x${index}`)
      const lines = ids.map((id, index) => (index % 2 === 0 ? act(id) : delegate(`a${id}`, act(id))))
      return play(session, script(...lines), ids)
    },
  },
  {
    by: 'a second client at the other base',
    async go(session, act) {
      const other = attachToolSession(session.server, session.id, V1)
      await other.turn(script(act('x'), delegate('a', act('y'))))
      return ['x', 'y']
    },
  },
  {
    by: 'a turn that goes on after a restart',
    async go(session, act) {
      const question = call('q', 'AskUserQuestion', { questions: [{ question: 'Go on?' }] })
      await session.turn(script(question, NEXT, act('x'), delegate('a', act('y'))))
      await server.restart()
      const later = attachToolSession(session.server, session.id)
      await later.turn([{ role: 'tool', toolCallId: 'q', content: 'Yes' }])
      return ['x', 'y']
    },
  },
  {
    by: 'a sub-agent of a file in agents that has every tool',
    go: (session, act) =>
      play(session, delegate('a', script(act('x'), delegate('b', act('y'), 'mighty')), 'mighty'), ['x', 'y']),
  },
]

async function play(session: ToolSession, line: string, ids: readonly string[]): Promise<readonly string[]> {
  await session.turn(line)
  return ids
}

describe.each(DENIALS)('what is denied because of $by', ({ agent: name, preset, user, act }) => {
  it.each(VEHICLES)('C17: is denied to $by', async ({ go }) => {
    const session = await openToolSession(user === undefined ? as(server.key) : as(ruledKey), { agent: name, preset })
    const ids = await go(session, act)
    const calls = await attachToolSession(session.server, session.id).calls()
    for (const id of ids) {
      expect(calls.get(id)).toMatchObject({ asked: [], runs: 0, status: expect.stringMatching(/^(denied|failed)$/) })
      expect(calls.get(id)?.output).toMatch(
        /^Error: the tool \w+ (was denied|is not allowed|is not enabled|may not run)|there is no tool/,
      )
    }
    const made = await readdir(session.workspace).catch(() => [])
    expect(made).toEqual([])
  })
})

describe('a child', () => {
  it('C17: is offered only tools that its parents are offered', async () => {
    const session = await openToolSession(as(server.key), { agent: 'modest', preset: 'full-access' })
    await session.turn(delegate('a', 'show tools', 'mighty'))
    const shown = [{ role: 'assistant' as const, content: String((await session.callOf('a')).output) }]
    expect(shownToolNames(shown).toSorted()).toEqual(['Agent', 'AskUserQuestion', 'Read'])
  })

  it('C17: has the tools that the client of its session has listed, at most', async () => {
    const tools = [{ name: 'Agent', trust: true }, { name: 'Read' }]
    const { id } = await openSession(server.client(V3), { agent: 'able', tools })
    const session = attachToolSession(as(server.key), id)
    await session.turn(delegate('a', script(writing('x'), call('r', 'Read', { path: '.' })), 'mighty'))
    expect(await session.callOf('x')).toMatchObject({ runs: 0, output: expect.stringContaining('not enabled') })
    expect(await session.callOf('r')).toMatchObject({ asked: ['not-trusted:Read'], runs: 0 })
  })

  it('C17: asks whenever its parent would have to ask', async () => {
    const session = await openToolSession(as(server.key), { agent: 'able' })
    await session.turn(delegate('a', running('touch')('x'), 'mighty'))
    expect(await session.callOf('x')).toMatchObject({ asked: ['mode-preset:Bash'], runs: 0 })
  })

  it('C17: is an agent that its parent was given, or none', async () => {
    const session = await openToolSession(as(server.key), { agent: 'able' })
    await session.turn(delegate('a', 'say hi', 'modest'))
    expect(await session.callOf('a')).toMatchObject({
      status: 'failed',
      runs: 0,
      output: expect.stringContaining('agent'),
    })
  })
})

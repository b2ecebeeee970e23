// Walks through the table of docs/security.md: does each act in each column, with a user who approves everything.
import { readFileSync } from 'node:fs'
import { access, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { type Server, createServer } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { call, script } from '../support/script.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createUserKey } from '../support/owner-socket.ts'
import { disguised } from './disguise.ts'
import { type Serving, type ToolSession, grant, openToolSession } from './tool-session.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const MCP_SERVER = fileURLToPath(
  new URL('../../apps/server/src/session-tools/test-support/plain-mcp-server.ts', import.meta.url),
)
const KEY = 'sk-provider-of-the-operator'
const CANARY = 'canary-7c1e'

interface Column {
  readonly sandbox: 'required' | 'none'
  readonly withoutSandbox: 'local' | 'everyone'
  readonly user: 'local' | 'ann'
}

const COLUMNS: Readonly<Record<string, Column>> = {
  '`local`, bubblewrap': { sandbox: 'required', withoutSandbox: 'local', user: 'local' },
  'others, bubblewrap': { sandbox: 'required', withoutSandbox: 'local', user: 'ann' },
  '`local`, no sandbox': { sandbox: 'none', withoutSandbox: 'local', user: 'local' },
  'others, no sandbox': { sandbox: 'none', withoutSandbox: 'local', user: 'ann' },
  "others, `withoutSandbox: 'everyone'`": { sandbox: 'none', withoutSandbox: 'everyone', user: 'ann' },
}

interface World {
  readonly start: string
  readonly home: string
  readonly server: ServerProcess
  /** A file of another user's session. */
  readonly other: string
  readonly canaryUrl: string
  open(): Promise<ToolSession>
  close(): Promise<void>
}

async function createWorld({ sandbox, withoutSandbox, user }: Column): Promise<World> {
  const base = await realpath(await mkdtemp('/var/tmp/polylogue-table-'))
  const [start, home] = [join(base, 'start'), join(base, 'home')]
  await mkdir(start)
  await mkdir(join(home, '.aws'), { recursive: true })
  await writeFile(join(home, '.aws', 'credentials'), CANARY)
  await writeFile(
    join(start, 'polylogue.config.json'),
    JSON.stringify({
      providers: { openai: { apiKey: KEY } },
      bash: { sandbox, withoutSandbox },
      mcpServers: { plain: { command: process.execPath, args: [MCP_SERVER] } },
    }),
  )
  const canary: Server = createServer((_, response) => response.end(CANARY)).listen(0, '127.0.0.1')
  await once(canary, 'listening')
  const address = canary.address()
  const server = await startServerProcess({
    dataDir: join(base, 'data'),
    startDir: start,
    flags: ['--config', join(start, 'polylogue.config.json'), '--database', `sqlite:${join(start, 'all.db')}`],
    environment: { HOME: home },
  })
  const as = async (name: string): Promise<Serving> => {
    const key = name === 'local' ? server.key : await createUserKey(server.dataDir, name)
    return { url: server.url, dataDir: server.dataDir, key, client: (dialect) => server.client(dialect, key) }
  }
  const stranger = await openToolSession(await as('bob'))
  await stranger.turn(script(call('w', 'Write', { path: 'secret.txt', content: CANARY })))
  return {
    start,
    home,
    server,
    other: join(stranger.workspace, 'secret.txt'),
    canaryUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    open: async () => openToolSession(await as(user)),
    async close() {
      await server.stop()
      canary.close()
      await rm(base, { recursive: true, force: true })
    },
  }
}

let ids = 0

/** What a call answered, if its user approves it. */
async function approve(session: ToolSession, tool: string, input: Readonly<Record<string, unknown>>): Promise<string> {
  const id = `t${++ids}`
  const { stopReason } = await session.turn(script(call(id, tool, input)))
  if (stopReason === 'tool_use') await session.turn([grant(id)])
  const { status, output } = await session.callOf(id)
  return status === 'denied' ? '' : String(output)
}

type Act = (world: World, session: ToolSession) => Promise<boolean>

const bash = (session: ToolSession, command: string) => approve(session, 'Bash', { command: disguised(command) })
const printing =
  (text: string, command: (world: World) => string): Act =>
  async (world, session) =>
    (await bash(session, command(world))).includes(text)
const reading =
  (text: string, paths: (world: World) => readonly string[]): Act =>
  async (world, session) => {
    const answers: string[] = []
    for (const path of paths(world)) answers.push(await approve(session, 'Read', { path }))
    return answers.some((answer) => answer.includes(text))
  }

const ACTS: Readonly<Record<string, Act>> = {
  'read and write the files of its own directory': async (_, session) => {
    await approve(session, 'Write', { path: 'a.txt', content: 'mine' })
    return (await approve(session, 'Read', { path: 'a.txt' })).includes('mine')
  },
  'run a shell command': printing('it ran', () => 'echo it ran'),
  'use an MCP server that is a program of the configuration': async (_, session) =>
    (await approve(session, 'mcp_plain_echo', { msg: 'it answered' })).includes('it answered'),
  "read files of another user's session with file tools": reading(CANARY, ({ other }) => [other]),
  "read files of another user's session with a command": printing(CANARY, ({ other }) => `cat ${other}`),
  'read `local.key`, `secret.key` or the database with file tools': reading('', ({ server, start }) => [
    join(server.dataDir, 'local.key'),
    join(server.dataDir, 'secret.key'),
    join(start, 'all.db'),
  ]),
  'read `local.key`, `secret.key` or the database with a command': async ({ server, start }, session) => {
    const printed = await bash(session, `cat ${server.dataDir}/local.key; head -c 15 ${start}/all.db | base64`)
    return printed.includes(server.key) || printed.includes(Buffer.from('SQLite format 3').toString('base64'))
  },
  'read the keys of providers in the configuration with a command': printing(
    KEY,
    ({ start }) => `cat ${start}/polylogue.config.json`,
  ),
  'change what the server runs at its next start with a command': async ({ start }, session) => {
    await bash(session, `mkdir -p ${start}/agents && echo evil > ${start}/agents/evil.md`)
    return access(join(start, 'agents', 'evil.md')).then(
      () => true,
      () => false,
    )
  },
  'read credentials in the home directory with a command': printing(
    CANARY,
    ({ home }) => `cat ${home}/.aws/credentials`,
  ),
  "signal the server's process": printing('it was there', ({ server }) => `kill -0 ${server.pid} && echo it was there`),
  'connect to a port of this machine with a command': printing(
    CANARY,
    ({ canaryUrl }) => `curl -s --max-time 5 ${canaryUrl}`,
  ),
  'use the network with a command that shows it, such as `curl`': async ({ canaryUrl }, session) =>
    (await approve(session, 'Bash', { command: `curl -s --max-time 5 ${canaryUrl}` })).includes(CANARY),
  'read a port of this machine with `WebFetch`': async ({ canaryUrl }, session) =>
    (await approve(session, 'WebFetch', { url: canaryUrl })).includes(CANARY),
}

const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  )
const head = rows.find(([first]) => first === 'a session can') ?? []
const table = rows.filter((cells) => cells.length === head.length && /^[✓✗]$/.test(cells[1] ?? ''))

it('the table of docs/security.md has a column for each world and a row for each act', () => {
  expect(head.slice(1)).toEqual(Object.keys(COLUMNS))
  expect(table.map(([act]) => act)).toEqual(Object.keys(ACTS))
})

describe.each(Object.entries(COLUMNS))('the column %s', (name, column) => {
  let world: World
  beforeAll(async () => {
    world = await createWorld(column)
  })
  afterAll(() => world.close())

  it.each(Object.entries(ACTS))('a session can %s, or not, as the table says', async (act, does) => {
    const sign = table.find(([first]) => first === act)?.[head.indexOf(name)]
    const session = await world.open()
    // A file that is denied answers nothing at all.
    const isDone = act.endsWith('with file tools')
      ? await answersAnything(does, world, session)
      : await does(world, session)
    expect([act, isDone ? '✓' : '✗']).toEqual([act, sign])
  })

  it('the server says which column it is', async () => {
    const answer = await fetch(`${world.server.url}/api/polylogue/status`, {
      headers: { authorization: `Bearer ${world.server.key}` },
    })
    const programs = column.sandbox === 'required' ? 'everyone' : column.withoutSandbox
    expect(await answer.json()).toMatchObject({
      sandbox: column.sandbox === 'required' ? 'bubblewrap' : 'none',
      programs,
    })
    expect(await readFile(join(world.start, 'polylogue.config.json'), 'utf8')).toContain(KEY)
  })
})

async function answersAnything(does: Act, world: World, session: ToolSession): Promise<boolean> {
  await does(world, session)
  return [...(await session.calls()).values()].some(({ status }) => status === 'completed')
}

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, readFile, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asSessionId, asTurnId, requireGrant, textOf, type Tool } from '@polylogue/engine'
import { createFakeTool, createInvocation, testDigest } from '@polylogue/testkit'
import { createMcpPool, type McpPool } from '@polylogue/tools'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../platform/system-clock.ts'
import type { GivenMcpServer } from './given-mcp-server.ts'
import type { SessionServers } from './session-servers.ts'
import { createSessionTools, type SessionTools } from './session-tools.ts'

const PROGRAM = join(import.meta.dirname, 'test-support', 'plain-mcp-server.ts')
const SECRET = 'given-secret-0815'
const session = asSessionId('one')
const other = asSessionId('two')

let folder: string
let pool: McpPool
let tools: SessionTools
let editor: SessionServers
let marker: string
const logged: string[] = []
const learned: string[] = []

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'polylogue-session-tools-')))
  marker = `given-${testDigest(folder).slice(0, 16)}`
  logged.length = 0
  learned.length = 0
  const log = (entry: object): void => void logged.push(JSON.stringify(entry))
  pool = createMcpPool({ clock: systemClock, digest: testDigest, log, stateDir: join(folder, 'state') })
  tools = createSessionTools({
    pool,
    clock: systemClock,
    digest: testDigest,
    configured: ['config'],
    directoryOf: () => Promise.resolve(folder),
    tryConfigured: () => Promise.resolve(),
    learnSecret: (secret) => void learned.push(secret),
    skillsFolder: join(folder, 'skills'),
    skills: [],
    log,
  })
  editor = tools.connectServers({ isRemote: false })
})
afterEach(async () => {
  await pool.close()
  await rm(folder, { recursive: true })
})

const given = (name: string, offered = 'echo'): GivenMcpServer => ({
  type: 'stdio',
  name,
  command: process.execPath,
  args: [PROGRAM, offered, marker],
  env: [{ name: 'GIVEN_TOKEN', value: SECRET }],
})
const absent: GivenMcpServer = {
  ...given('absent'),
  type: 'stdio',
  command: join(tmpdir(), 'no-such-program'),
  args: [],
  env: [{ name: 'GIVEN_TOKEN', value: SECRET }],
}
const namesOf = (id = session, own: readonly Tool[] = []) => tools.toolsOf(id, own).map(({ name }) => name)
const open = async (id: typeof session, ...servers: readonly GivenMcpServer[]) => openBy(editor, id, servers)
const openBy = async (connection: SessionServers, id: typeof session, servers: readonly GivenMcpServer[]) => {
  const problems: string[] = []
  await connection.open(id, servers, (problem) => void problems.push(problem))
  return problems
}

async function call(name: string): Promise<string> {
  const tool = tools.toolsOf(session, []).find((candidate) => candidate.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return textOf((await tool.run(createInvocation(tool, {}))).content)
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate)
}

/** Processes of the programs that this test started. */
async function running(): Promise<number> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(marker)).length
}

describe('servers that a client brings into a session', () => {
  it('give it their untrusted tools, and no other session', async () => {
    expect(await open(session, given('files', 'echo,where'))).toEqual([])
    expect(namesOf()).toEqual(['mcp_files_echo', 'mcp_files_where'])
    expect(tools.toolsOf(session, []).map(({ effect }) => effect)).toEqual(['unsafe', 'unsafe'])
    expect(namesOf(other)).toEqual([])
    expect(pool.health()).toEqual([])
  })

  it('are the same list while nothing changes, and leave others alone', async () => {
    const own = [createFakeTool('pay')]
    await open(session, given('files'))
    expect(tools.toolsOf(session, own)).toBe(tools.toolsOf(session, own))
    expect(tools.toolsOf(other, own)).toBe(own)
  })

  it('live while the session is open, and end with its last client', async () => {
    const second = tools.connectServers({ isRemote: false })
    await open(session, given('files'))
    await openBy(second, session, [given('files')])
    expect(await running()).toBe(1)
    await editor.close(session)
    await editor.close(session)
    expect([await running(), namesOf()]).toEqual([1, ['mcp_files_echo']])
    await second.close(session)
    expect([await running(), namesOf()]).toEqual([0, []])
  })

  it('add up when several connections bring them; of one name the newest counts', async () => {
    const second = tools.connectServers({ isRemote: false })
    await open(session, given('files'), given('mine'))
    await openBy(second, session, [given('files', 'table'), given('other')])
    expect(namesOf()).toEqual(['mcp_mine_echo', 'mcp_files_table', 'mcp_other_echo'])
    expect(tools.toolsOf(session, [])).toHaveLength(3)
    await second.close(session)
    expect(namesOf()).toEqual(['mcp_files_echo', 'mcp_mine_echo'])
    await openBy(second, session, [])
    expect(namesOf()).toEqual(['mcp_files_echo', 'mcp_mine_echo'])
  })

  it('are replaced by a newer list; one that is in both continues', async () => {
    await open(session, given('kept'), given('left'))
    expect(await running()).toBe(2)
    await open(session, given('new'), given('kept'))
    expect(namesOf()).toEqual(['mcp_new_echo', 'mcp_kept_echo'])
    expect(await running()).toBe(2)
    await open(session)
    expect([await running(), namesOf()]).toEqual([0, []])
  })

  it('end with a session that is deleted, for every client that has it open', async () => {
    await open(session, given('files'))
    await openBy(tools.connectServers({ isRemote: false }), session, [given('files')])
    await tools.forget(session)
    await editor.close(session)
    expect([await running(), namesOf()]).toEqual([0, []])
  })

  it('take the place of a server of the configuration with their name, with all of its tools', async () => {
    const held = pool.hold([
      {
        name: 'config',
        reach: { type: 'stdio', command: process.execPath, args: [PROGRAM, 'echo,picture', marker], env: {} },
        trusted: true,
        deadlineMs: 10_000,
      },
    ])
    await held.settled()
    const own = [createFakeTool('pay'), ...held.tools()]
    await open(session, given('config', 'echo,table'))
    expect(namesOf(session, own)).toEqual(['pay', 'mcp_config_echo', 'mcp_config_table'])
    expect(tools.toolsOf(session, own)[1]?.effect).toBe('unsafe')
    expect(namesOf(other, own)).toEqual(['pay', 'mcp_config_echo', 'mcp_config_picture'])
  })

  it('cannot take the name of a tool of another server', async () => {
    await open(session, given('config_echo', 'table'))
    expect(namesOf()).toEqual([`mcp_config_echo-${testDigest('config_echo').slice(0, 6)}_table`])
  })

  it('run where their session works', async () => {
    await open(session, given('files', 'where'))
    expect(await call('mcp_files_where')).toBe(`${folder} ${SECRET}`)
  })

  it('stay with a turn whose client has left, and end with it', async () => {
    const turnId = asTurnId('turn_1')
    const second = tools.connectServers({ isRemote: false })
    await open(session, given('files'))
    await openBy(second, other, [given('rest')])
    tools.appended({ sessionId: session, events: [{ type: 'turn.started', turnId, recovery: 'continue' }] })
    tools.appended({ sessionId: other, events: [{ type: 'turn.ended', turnId, outcome: 'finished' }] })
    editor.leave()
    second.leave()
    await until(async () => (await running()) === 1)
    expect([namesOf(), namesOf(other)]).toEqual([['mcp_files_echo'], []])
    tools.appended({ sessionId: session, events: [{ type: 'turn.ended', turnId, outcome: 'finished' }] })
    await until(async () => (await running()) === 0)
    expect(namesOf()).toEqual([])
  })

  it('are not started for a session that is closed before they are', async () => {
    const opening = open(session, given('files'))
    await editor.close(session)
    await opening
    expect([await running(), namesOf()]).toEqual([0, []])
  })
})

describe('a server that cannot be used', () => {
  it('does not affect the others, and its client gets the problem', async () => {
    const problems = await open(session, absent, given('files'))
    expect(problems).toEqual([expect.stringMatching(/^MCP server absent is not connected: .*ENOENT/)])
    expect(namesOf()).toEqual(['mcp_files_echo'])
  })

  it('is reported with the wrong field, and the last of two with one name counts', async () => {
    const wrong: GivenMcpServer = { type: 'http', name: 'wrong', url: 'ftp://x', headers: [] }
    const problems = await open(session, wrong, given('files', 'echo'), given('files', 'table'))
    expect(problems).toEqual(['MCP server wrong cannot be used: [0].url: must be an http or https URL'])
    expect(namesOf()).toEqual(['mcp_files_table'])
  })
})

describe('a client that comes over the network', () => {
  it('cannot make the server talk to what only the server reaches', async () => {
    let requests = 0
    const inner = createServer((_request, response) => {
      requests += 1
      response.end()
    })
    await once(inner.listen(0, '127.0.0.1'), 'listening')
    const { port } = inner.address() as AddressInfo
    const remote = tools.connectServers({ isRemote: true })
    const at = (name: string, url: string): GivenMcpServer => ({ type: 'http', name, url, headers: [] })
    const problems = await openBy(remote, session, [
      at('address', `http://127.0.0.1:${port}/mcp`),
      at('name', `http://localhost:${port}/mcp`),
      at('cloud', 'http://169.254.169.254/latest/meta-data'),
    ])
    expect(problems.toSorted()).toEqual([
      expect.stringMatching(/^MCP server address is not connected: .*127\.0\.0\.1 is not on the public network/),
      expect.stringMatching(/^MCP server cloud is not connected: .*169\.254\.169\.254 is not on the public network/),
      expect.stringMatching(/^MCP server name is not connected: .*localhost is not on the public network/),
    ])
    expect(requests).toBe(0)
    await openBy(editor, other, [at('address', `http://127.0.0.1:${port}/mcp`)])
    expect(requests).toBeGreaterThan(0)
    inner.close()
    inner.closeAllConnections()
  })
})

describe('a server that a client provides', () => {
  it("is neither logged nor stored, and known to the log's secret filter", async () => {
    await open(session, given('files', 'where'), absent, {
      type: 'http',
      name: 'away',
      url: 'http://127.0.0.1:1/mcp',
      headers: [{ name: 'Authorization', value: `Bearer ${SECRET}` }],
    })
    expect(await call('mcp_files_where')).toContain(SECRET)
    expect(learned).toContain(SECRET)
    expect(logged.length).toBeGreaterThan(0)
    expect(logged.join('\n')).not.toContain(SECRET)
    const files = await readdir(folder, { recursive: true, withFileTypes: true })
    const texts = await Promise.all(
      files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'utf8')),
    )
    expect(texts.join('\n')).not.toContain(SECRET)
  })

  it('runs nothing that was not granted', async () => {
    await open(session, given('files'))
    const [tool] = tools.toolsOf(session, [])
    if (tool === undefined) throw new Error('no tool')
    const { grant } = createInvocation(createFakeTool('pay'), {})
    expect(() => requireGrant(grant, tool.name)).toThrow('grant')
    await expect(tool.run({ ...createInvocation(tool, {}), grant })).rejects.toThrow('grant')
  })
})

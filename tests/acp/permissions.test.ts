import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askOwner } from '../support/owner-socket.ts'
import { call, script } from '../support/script.ts'
import type { AcpProcess, Params } from './support/acp-process.ts'
import { type AcpWorld, createAcpWorld } from './support/acp-world.ts'
import { type AcpSession, openAcpSession } from './support/acp-session.ts'

const MCP_SERVER = fileURLToPath(
  new URL('../../apps/server/src/session-tools/test-support/plain-mcp-server.ts', import.meta.url),
)

type Fate = 'ran' | 'asked' | 'failed'

let world: AcpWorld
let acp: AcpProcess
const asked = new Set<string>()
beforeAll(async () => {
  world = await createAcpWorld()
  const home = join(world.path, 'home')
  await mkdir(home)
  await mkdir(join(world.path, 'outside'))
  await symlink(join(world.path, 'outside'), join(world.workDir, 'link'))
  await writeFile(join(world.workDir, 'a.txt'), 'x')
  await writeFile(join(world.path, 'config.json'), JSON.stringify({ bash: { sandbox: 'none' } }))
  acp = await world.start(['--config', join(world.path, 'config.json')], { environment: { HOME: home } })
  acp.onRequest('session/request_permission', ({ toolCall }) => {
    asked.add(String((toolCall as Params)['toolCallId']))
    return { outcome: { outcome: 'selected', optionId: 'reject' } }
  })
})
afterAll(() => world.close())

let calls = 0

async function open(mode: string): Promise<AcpSession> {
  const session = await openAcpSession(acp, world.workDir)
  await session.setMode(mode)
  return session
}

/** The model makes the calls at once; whatever is asked is rejected. */
async function attempt(session: AcpSession, ...made: readonly (readonly [string, object])[]): Promise<readonly Fate[]> {
  const ids = made.map(() => `c${++calls}`)
  const before = acp.updates(session.id).length
  await session.prompt(script(...made.map(([tool, input], index) => call(ids[index] ?? '', tool, { ...input }))))
  const updates = acp.updates(session.id).slice(before)
  return ids.map((id, index) => {
    if (asked.has(id)) return 'asked'
    // Of a list of steps nothing is shown but the plan that it makes.
    if (made[index]?.[0] === 'TodoWrite') return updates.some(isPlan) ? 'ran' : 'failed'
    return updates.findLast(({ toolCallId }) => toolCallId === id)?.['status'] === 'completed' ? 'ran' : 'failed'
  })
}

const isPlan = ({ sessionUpdate }: { readonly sessionUpdate: string }) => sessionUpdate === 'plan'
const bash = (command: string) => ['Bash', { command }] as const
const write = (path: string) => ['Write', { path, content: 'x' }] as const
const fetching = (url: string) => ['WebFetch', { url }] as const

const ROWS: readonly (readonly [string, () => readonly [string, object], string])[] = [
  ['read a file', () => ['Read', { path: 'a.txt' }], '✓✓✓✓'],
  ['search files', () => ['Glob', { pattern: '*' }], '✓✓✓✓'],
  ['write inside the roots', () => write('b.txt'), '✗✓✓✗'],
  ['write outside the roots', () => write(join(world.path, 'outside', 'b.txt')), '✗✗✗✗'],
  ['a command of the safe list', () => bash('ls'), '✗✓✓✓'],
  ['a dangerous command', () => bash('rm -rf /srv/polylogue-has-none'), '✗✗✓✗'],
  ['a forced delete inside the workspace', () => bash('rm -rf nothing-here'), '✗?✓✗'],
  ['a write to a sensitive file', () => bash('echo x >> ~/.bashrc'), '✗?✓✗'],
  ['any other command', () => bash('touch c.txt'), '✗?✓✗'],
  ['fetch from a block-listed host', () => fetching('http://127.0.0.1:1/'), '✗✗!✗'],
  ['fetch from another host', () => fetching('https://other.invalid/'), '??!?'],
  ['a plan of steps', () => ['TodoWrite', { todos: [{ content: 'x', status: 'pending' }] }], '✗✓✓✗'],
  ['a hardline command', () => bash('mkfs.ext4 /dev/polylogue-has-none'), '✗✗✗✗'],
]
const SIGNS: Readonly<Record<string, Fate>> = { '✓': 'ran', '?': 'asked', '✗': 'failed', '!': 'failed' }

it.each(['read-only', 'workspace-write', 'full-access', 'plan'].map((mode, column) => ({ mode, column })))(
  'acp 128: each cell of the table holds in mode $mode',
  async ({ mode, column }) => {
    const session = await open(mode)
    const fates = await attempt(session, ...ROWS.map(([, made]) => made()))
    const rows = ROWS.map(([row], index) => `${row}: ${fates[index]}`)
    expect(rows).toEqual(ROWS.map(([row, , signs]) => `${row}: ${SIGNS[signs[column] ?? '']}`))
  },
)

describe('in its mode', () => {
  it('acp 129: read-only denies writes, commands, notes and tools of client servers without asking', async () => {
    const env: readonly object[] = []
    const given = { name: 'given', command: process.execPath, args: [MCP_SERVER, 'echo', world.path], env }
    const session = await openAcpSession(acp, world.workDir, [given])
    expect(await attempt(session, ['mcp_given_echo', {}])).toEqual(['asked'])
    await session.setMode('read-only')
    const fates = await attempt(
      session,
      write('no.txt'),
      bash('ls'),
      ['Remember', { content: 'x' }],
      ['TodoWrite', { todos: [{ content: 'x', status: 'pending' }] }],
      ['mcp_given_echo', {}],
    )
    expect(fates).toEqual(['failed', 'failed', 'failed', 'failed', 'failed'])
    await expect(readFile(join(world.workDir, 'no.txt'))).rejects.toThrow('ENOENT')
  })

  it('acp 130: plan runs ls, and denies touch and a write without asking', async () => {
    expect(await attempt(await open('plan'), bash('ls'), bash('touch x'), write('no.txt'))).toEqual([
      'ran',
      'failed',
      'failed',
    ])
  })

  it('acp 131: full-access never asks, and still denies forbidden calls', async () => {
    const session = await open('full-access')
    expect(await attempt(session, bash('touch t'), bash('rm -rf /'), bash("bash -c 'rm -rf ~'"))).toEqual([
      'ran',
      'failed',
      'failed',
    ])
  })

  it('acp 132: a command that only looks safe needs permission', async () => {
    const session = await open('workspace-write')
    const tricks = ['ls; rm x', 'cat a.txt | sh', 'env X=1 sh s.sh', 'git diff --output=f']
    expect(await attempt(session, ...tricks.map(bash))).toEqual(['asked', 'asked', 'asked', 'asked'])
  })

  it.each(['read-only', 'workspace-write', 'full-access', 'plan'])(
    'acp 133: a write outside the roots, by .. or by a link, fails in mode %s',
    async (mode) => {
      const fates = await attempt(await open(mode), write('../escaped.txt'), write('link/escaped.txt'))
      expect(fates).toEqual(['failed', 'failed'])
      await expect(readFile(join(world.path, 'escaped.txt'))).rejects.toThrow('ENOENT')
      await expect(readFile(join(world.path, 'outside', 'escaped.txt'))).rejects.toThrow('ENOENT')
    },
  )
})

describe('rules', () => {
  const rule = async (action: string, tool: string, args?: object): Promise<string> => {
    const body = { action, tool, ...(args && { args }) }
    const answer = await askOwner(world.dataDir, { method: 'POST', path: '/api/polylogue/permissions', body })
    expect(answer.status).toBe(201)
    return String((answer.body as { readonly id: unknown }).id)
  }
  const forget = (id: string) => askOwner(world.dataDir, { method: 'DELETE', path: `/api/polylogue/permissions/${id}` })

  it('acp 134: a file in the project has no effect', async () => {
    const rules = JSON.stringify({ rules: [{ tool: '*', action: 'allow' }] })
    await mkdir(join(world.workDir, '.agentao'), { recursive: true })
    for (const name of ['.agentao/permissions.json', 'permissions.json'])
      await writeFile(join(world.workDir, name), rules)
    expect(await attempt(await open('workspace-write'), bash('touch x'))).toEqual(['asked'])
  })

  it('acp 135: a rule of the user beats the preset in workspace-write, and not in full-access or plan', async () => {
    const allow = await rule('allow', 'Bash', { command: 'touch' })
    expect(await attempt(await open('workspace-write'), bash('touch x'))).toEqual(['ran'])
    expect(await attempt(await open('plan'), bash('touch x'))).toEqual(['failed'])
    await forget(allow)
    const deny = await rule('deny', 'Bash', { command: 'touch' })
    expect(await attempt(await open('workspace-write'), bash('touch x'))).toEqual(['failed'])
    expect(await attempt(await open('full-access'), bash('touch x'))).toEqual(['ran'])
    await forget(deny)
  })

  it('acp 136: an ask rule also applies to a tool that needs no permission', async () => {
    const ask = await rule('ask', 'Read')
    expect(await attempt(await open('workspace-write'), ['Read', { path: 'a.txt' }])).toEqual(['asked'])
    await forget(ask)
    expect(await attempt(await open('workspace-write'), ['Read', { path: 'a.txt' }])).toEqual(['ran'])
  })
})

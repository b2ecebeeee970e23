import { mkdir, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AcpProcess } from '../acp/support/acp-process.ts'
import { type AcpSession, attachAcpSession, openAcpSession } from '../acp/support/acp-session.ts'
import { type AcpWorld, createAcpWorld } from '../acp/support/acp-world.ts'
import { call, script } from '../support/script.ts'

vi.setConfig({ testTimeout: 60_000 })

const REPLACED = 'is not the one that this session opened'

let world: AcpWorld
let acp: AcpProcess
const at = (...names: readonly string[]): string => join(world.path, ...names)

async function start(sandbox: 'auto' | 'none'): Promise<void> {
  await writeFile(at('config.json'), JSON.stringify({ bash: { sandbox } }))
  acp = await world.start(['--config', at('config.json')])
}

async function open(cwd: string): Promise<AcpSession> {
  const session = await openAcpSession(acp, cwd)
  await session.setMode('full-access')
  return session
}

let calls = 0

/** What each call answered, as the editor is shown it. */
async function ask(session: AcpSession, ...made: readonly (readonly [string, object])[]): Promise<readonly string[]> {
  const ids = made.map(() => `c${++calls}`)
  await session.prompt(script(...made.map(([tool, input], index) => call(ids[index] ?? '', tool, { ...input }))))
  return ids.map((id) => JSON.stringify(acp.updates(session.id).findLast(({ toolCallId }) => toolCallId === id)))
}

const bash = (command: string) => ['Bash', { command }] as const

beforeEach(async () => {
  world = await createAcpWorld()
  await mkdir(at('shared', 'sub'), { recursive: true })
  await mkdir(at('outside'))
  await writeFile(at('shared', 'sub', 'own.txt'), 'of the session')
  await writeFile(at('outside', 'secret.txt'), 'a SECRET')
})
afterEach(() => world.close())

/** What the other session of the same user does to the root of the first. */
const SWAPS: readonly (readonly [string, (target: string) => string])[] = [
  ['a link to a folder outside', (target) => `mv sub kept && ln -s ${target} sub`],
  ['a link to a link', (target) => `ln -s ${target} hop && mv sub kept && ln -s hop sub`],
  ['another folder', () => 'mv sub kept && mkdir sub && echo a SECRET > sub/secret.txt'],
]

describe.each(['auto', 'none'] as const)('the root of a session, sandbox %s', (sandbox) => {
  it.each(SWAPS)('is not followed when another session of the user puts %s in its place', async (_name, swap) => {
    await start(sandbox)
    const inner = await open(at('shared', 'sub'))
    const outer = await open(at('shared'))
    expect((await ask(inner, ['Read', { path: 'own.txt' }]))[0]).toContain('of the session')
    await ask(outer, bash(swap(at('outside'))))
    const answers = await ask(
      inner,
      ['Read', { path: 'secret.txt' }],
      ['Glob', { pattern: '*' }],
      ['Grep', { pattern: 'SECRET' }],
      ['Write', { path: 'secret.txt', content: 'overwritten' }],
      ['Edit', { path: 'secret.txt', oldText: 'SECRET', newText: 'overwritten' }],
      bash('cat secret.txt; echo overwritten > secret.txt; echo overwritten > new.txt'),
    )
    for (const answer of answers) expect(answer).toContain(REPLACED)
    expect(answers.join()).not.toContain('a SECRET')
    expect(await readdir(at('outside'))).toEqual(['secret.txt'])
    expect(await readFile(at('outside', 'secret.txt'), 'utf8')).toBe('a SECRET')
  })

  it('is not the data directory, for anything in its place', async () => {
    await start(sandbox)
    const inner = await open(at('shared', 'sub'))
    await rename(at('shared', 'sub'), at('shared', 'kept'))
    await symlink(world.dataDir, at('shared', 'sub'))
    const answers = await ask(inner, ['Read', { path: 'local.key' }], bash('cat local.key secret.key; ls'))
    for (const answer of answers)
      expect(answer).toMatch(/is not the one that this session opened|may not touch a path outside/)
  })
})

describe('a root that was replaced', () => {
  it('is reopened only by the client that loads the session', async () => {
    await start('auto')
    const inner = await open(at('shared', 'sub'))
    await rename(at('shared', 'sub'), at('shared', 'kept'))
    await mkdir(at('shared', 'sub'))
    await writeFile(at('shared', 'sub', 'new.txt'), 'of the new folder')
    expect((await ask(inner, ['Read', { path: 'new.txt' }]))[0]).toContain(REPLACED)
    await acp.request('session/load', { sessionId: inner.id, cwd: at('shared', 'sub'), mcpServers: [] })
    const again = attachAcpSession(acp, inner.id)
    const answers = await ask(again, ['Read', { path: 'new.txt' }], bash('cat new.txt'))
    for (const answer of answers) expect(answer).toContain('of the new folder')
  })

  it('by a link is not accepted again by a restarted server', async () => {
    await start('auto')
    const inner = await open(at('shared', 'sub'))
    acp.endInput()
    await acp.exited
    await rename(at('shared', 'sub'), at('shared', 'kept'))
    await symlink(at('outside'), at('shared', 'sub'))
    await start('auto')
    await acp.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
    const refused = acp.request('session/load', { sessionId: inner.id, cwd: at('shared', 'sub'), mcpServers: [] })
    await expect(refused).rejects.toThrow('cwd')
  })

  it('by the same folder again is the old one', async () => {
    await start('auto')
    const inner = await open(at('shared', 'sub'))
    await rename(at('shared', 'sub'), at('shared', 'kept'))
    expect((await ask(inner, ['Read', { path: 'own.txt' }]))[0]).toMatch(/is gone|not the one/)
    await rename(at('shared', 'kept'), at('shared', 'sub'))
    expect((await ask(inner, ['Read', { path: 'own.txt' }]))[0]).toContain('of the session')
    await rm(at('shared', 'sub'), { recursive: true })
  })
})

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { eventually } from '../support/eventually.ts'
import { askOwner } from '../support/owner-socket.ts'
import { call } from '../support/script.ts'
import { startServerProcess } from '../support/server-process.ts'
import { type AcpProcess, RpcFailure } from './support/acp-process.ts'
import { type AcpWorld, createAcpWorld } from './support/acp-world.ts'
import { attachAcpSession, openAcpSession } from './support/acp-session.ts'

// Several processes are started one after another, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000 })

let world: AcpWorld
beforeEach(async () => {
  world = await createAcpWorld()
})
afterEach(() => world.close())

const ownerPid = async (): Promise<number | undefined> => {
  const { body } = await askOwner(world.dataDir, { method: 'GET', path: '/api/polylogue/status' }).catch(() => ({
    body: {},
  }))
  return (body as { readonly pid?: number }).pid
}
const untilOwnedBy = (pid: number) =>
  eventually(async () => ((await ownerPid()) === pid ? true : undefined), `process ${pid} owns the data directory`)
const chunk = (acp: AcpProcess, text: string) =>
  acp.frame(
    (frame) => JSON.stringify(frame).includes('agent_message_chunk') && JSON.stringify(frame).includes(text),
    text,
  )
const answer = (acp: AcpProcess, id: unknown) =>
  acp.write(
    `${JSON.stringify({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'selected', optionId: 'allow' } } })}\n`,
  )
const ask = (frame: { readonly method?: unknown }) => frame.method === 'session/request_permission'

describe('one owner', () => {
  it('serve first, then an editor: the editor is a pipe, and its sessions are the server’s', async () => {
    const server = await world.serve()
    const acp = await world.start()
    const session = await openAcpSession(acp, world.workDir)
    expect(await session.prompt('say over the pipe')).toMatchObject({ stopReason: 'end_turn' })
    expect(await ownerPid()).toBe(server.pid)
    expect(JSON.stringify(await server.client(V3).history(session.id, 'full'))).toContain('over the pipe')
    acp.endInput()
    expect(await acp.exited).toEqual({ code: 0, signal: null })
    expect(await ownerPid()).toBe(server.pid)
  })

  it('an editor first, then serve: the editor hands over after its turn and continues as a pipe', async () => {
    const acp = await world.start()
    const session = await openAcpSession(acp, world.workDir)
    await session.prompt('say before')
    expect(await ownerPid()).toBe(acp.pid)
    const running = session.prompt('say slowly\nsleep 1500\nsay finished')
    await chunk(acp, 'slowly')
    const server = await world.serve()
    expect(await running).toMatchObject({ stopReason: 'end_turn' })
    expect(await ownerPid()).toBe(server.pid)
    expect(await session.prompt('say after')).toMatchObject({ stopReason: 'end_turn' })
    expect(acp.said(session.id)).toContain('after')
    expect(JSON.stringify(await server.client(V3).history(session.id, 'full'))).toMatch(/before[^]*finished[^]*after/)
    expect(acp.frames.filter(({ error }) => error !== undefined)).toEqual([])
  })

  it('two editors, then serve: both continue as pipes', async () => {
    const [first, second] = [await world.start(), await world.start()]
    const sessions = [await openAcpSession(first, world.workDir), await openAcpSession(second, world.workDir)]
    const server = await world.serve()
    for (const session of sessions) expect(await session.prompt('say on')).toMatchObject({ stopReason: 'end_turn' })
    expect(await ownerPid()).toBe(server.pid)
  })

  it('an editor with a call that waits for permission, then serve: the request is repeated, and the call runs once', async () => {
    const acp = await world.start()
    const session = await openAcpSession(acp, world.workDir)
    const prompted = session.prompt(call('c', 'Bash', { command: 'echo x >> once' })).catch((error: unknown) => error)
    const first = await acp.frame(ask)
    await world.serve()
    expect(await prompted).toMatchObject({ code: -32_603, data: { reason: 'interrupted' } })
    const second = await acp.frame((frame) => ask(frame) && frame['id'] !== first['id'])
    for (const { id } of [first, second]) answer(acp, id)
    await acp.frame((frame) => JSON.stringify(frame).includes('"status":"completed"'))
    expect(await readFile(join(world.workDir, 'once'), 'utf8')).toBe('x\n')
  })

  it('a running server keeps other servers out of its data directory', async () => {
    const first = await world.serve()
    const second = startServerProcess({ dataDir: world.dataDir, startDir: world.path })
    await expect(second).rejects.toThrow(`pid ${first.pid}`)
  })

  it('an editor that only greeted is the owner, hands over to serve, and works there', async () => {
    const acp = await world.start()
    await acp.request('initialize', { protocolVersion: 1 })
    await untilOwnedBy(acp.pid)
    const server = await world.serve()
    await untilOwnedBy(server.pid)
    const session = await openAcpSession(acp, world.workDir)
    expect(await session.prompt('say hello')).toMatchObject({ stopReason: 'end_turn' })
    acp.endInput()
    expect(await acp.exited).toEqual({ code: 0, signal: null })
  })

  it('an editor that greets and leaves at once ends with 0', async () => {
    const acp = await world.start()
    await acp.request('initialize', { protocolVersion: 1 })
    acp.endInput()
    expect(await acp.exited).toEqual({ code: 0, signal: null })
  })

  it('two editors share one, and each sees the messages of a session that both have open', async () => {
    const first = await world.start()
    const session = await openAcpSession(first, world.workDir)
    await session.prompt('say one')
    const second = await world.start()
    await second.request('initialize', { protocolVersion: 1 })
    await second.request('session/load', { sessionId: session.id, cwd: world.workDir, mcpServers: [] })
    expect(second.said(session.id)).toBe('one')
    await attachAcpSession(second, session.id).prompt('say two')
    await chunk(first, 'two')
    expect(await ownerPid()).toBe(first.pid)
  })
})

it('an owner whose own editor does not read still serves the others', async () => {
  const first = await world.start()
  const stuck = await openAcpSession(first, world.workDir)
  first.child.stdout?.pause()
  void stuck.prompt('tokens 200000')
  const second = await world.start()
  const session = await openAcpSession(second, world.workDir)
  for (let turn = 0; turn < 5; turn++)
    expect(await session.prompt('tokens 200')).toMatchObject({ stopReason: 'end_turn' })
  expect(await ownerPid()).toBe(first.pid)
})

describe('an owner that goes away', () => {
  it('killed in mid-turn: the open prompt answers interrupted, the pipe becomes owner, and its session continues', async () => {
    const server = await world.serve()
    const acp = await world.start()
    const session = await openAcpSession(acp, world.workDir)
    const running = session.prompt('say half\nsleep 60000')
    await chunk(acp, 'half')
    await server.kill()
    const failure = await running.catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(RpcFailure)
    expect(failure).toMatchObject({ code: -32_603, data: { reason: 'interrupted' } })
    expect(await session.prompt('say on we go')).toMatchObject({ stopReason: 'end_turn' })
    expect(await ownerPid()).toBe(acp.pid)
    expect(acp.said(session.id)).toContain('on we go')
    await session.prompt('show messages')
    expect(acp.said(session.id)).toContain('say half')
    // The editor never hears of what the pipe asked the new owner.
    expect(acp.frames.filter(({ id }) => String(id).startsWith('polylogue-relay'))).toEqual([])
  })

  it('killed while a call waits for permission: the request is repeated, and the answer counts', async () => {
    const server = await world.serve()
    const acp = await world.start()
    const session = await openAcpSession(acp, world.workDir)
    const waiting = session.prompt(call('c', 'Bash', { command: 'touch once' })).catch((error: unknown) => error)
    const first = await acp.frame(ask)
    await server.kill()
    expect(await waiting).toMatchObject({ data: { reason: 'interrupted' } })
    await acp.frame(
      ({ method, params }) => method === '$/cancel_request' && JSON.stringify(params).includes(String(first['id'])),
    )
    const second = await acp.frame((frame) => ask(frame) && frame['id'] !== first['id'])
    answer(acp, second['id'])
    await acp.frame((frame) => JSON.stringify(frame).includes('"status":"completed"'))
  })

  it('an editor that leaves while it runs a turn of another: it finishes that turn, then hands over', async () => {
    const first = await world.start()
    await openAcpSession(first, world.workDir)
    const second = await world.start()
    const session = await openAcpSession(second, world.workDir)
    const running = session.prompt('say begun\nsleep 1500\nsay ended')
    await chunk(second, 'begun')
    first.endInput()
    expect(await running).toMatchObject({ stopReason: 'end_turn' })
    expect(await first.exited).toEqual({ code: 0, signal: null })
    await untilOwnedBy(second.pid)
    expect(await session.prompt('say mine now')).toMatchObject({ stopReason: 'end_turn' })
  })

  it('a server that is stopped lets the turn of an editor finish, and the editor continues alone', async () => {
    const server = await world.serve()
    const acp = await world.start()
    const session = await openAcpSession(acp, world.workDir)
    const running = session.prompt('say begun\nsleep 1000\nsay ended')
    await chunk(acp, 'begun')
    const stopped = server.stop()
    expect(await running).toMatchObject({ stopReason: 'end_turn' })
    expect(await stopped).toBe(0)
    expect(await session.prompt('say alone')).toMatchObject({ stopReason: 'end_turn' })
    expect(await ownerPid()).toBe(acp.pid)
  })
})

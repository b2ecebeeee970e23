import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { askOwner, createUserKey } from '../support/owner-socket.ts'
import { call } from '../support/script.ts'
import type { ServerProcess } from '../support/server-process.ts'
import type { Frame, Params } from './support/acp-process.ts'
import { type AcpWorld, createAcpWorld } from './support/acp-world.ts'
import { createMalformedFrames } from './support/malformed-frames.ts'

let world: AcpWorld
let server: ServerProcess
let annasKey: string
const sockets: WebSocket[] = []
beforeAll(async () => {
  world = await createAcpWorld()
  const roots = { anna: [join(world.workDir, 'anna')], local: [world.workDir] }
  for (const name of ['anna', 'bob']) await mkdir(join(world.workDir, name))
  await symlink(join(world.workDir, 'bob'), join(world.workDir, 'anna', 'link'))
  const config = join(world.path, 'config.json')
  await writeFile(
    config,
    JSON.stringify({ acp: { roots, editorTerminals: true }, bash: { sandbox: 'none', withoutSandbox: 'everyone' } }),
  )
  server = await world.serve(['--config', config])
  annasKey = await createUserKey(world.dataDir, 'anna')
})
afterAll(() => world.close())
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.terminate()
})

interface Client {
  readonly socket: WebSocket
  readonly frames: readonly Frame[]
  request(method: string, params: object): Promise<Params>
}

function open(headers: Readonly<Record<string, string>>, query = '?agent=scripted'): WebSocket {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/acp${query}`, { headers })
  // A refused upgrade is an error too; the tests look at its status.
  socket.on('error', () => undefined)
  sockets.push(socket)
  return socket
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

async function connect(key: string, query?: string): Promise<Client> {
  const socket = open(bearer(key), query)
  await once(socket, 'open')
  const frames: Frame[] = []
  const waiting = new Map<unknown, (frame: Frame) => void>()
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data)) as Frame
    frames.push(frame)
    waiting.get(frame['id'])?.(frame)
  })
  let lastId = 0
  const request = async (method: string, params: object): Promise<Params> => {
    const id = ++lastId
    const answer = new Promise<Frame>((resolve) => waiting.set(id, resolve))
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    const { result, error } = await answer
    return (result ?? { error }) as Params
  }
  await request('initialize', { protocolVersion: 1 })
  return { socket, frames, request }
}

/** The status with which the upgrade is refused. */
async function refusal(headers: Readonly<Record<string, string>>, query?: string): Promise<number | undefined> {
  const [, response] = (await once(open(headers, query), 'unexpected-response')) as [
    unknown,
    { readonly statusCode?: number },
  ]
  return response.statusCode
}

const openIn = (client: Client, cwd: string, mcpServers: readonly object[] = []) =>
  client.request('session/new', { cwd, mcpServers })

describe('/acp over the network', () => {
  it('carries a session for a client with a key', async () => {
    const client = await connect(annasKey)
    const { sessionId } = await openIn(client, join(world.workDir, 'anna'))
    expect(
      await client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'say Grüße' }] }),
    ).toMatchObject({ stopReason: 'end_turn' })
    expect(JSON.stringify(client.frames)).toContain('Grüße')
    const other = await connect(server.key)
    expect((await other.request('session/list', {}))['sessions']).toEqual([])
    expect(
      await other.request('session/load', { sessionId, cwd: join(world.workDir, 'anna'), mcpServers: [] }),
    ).toMatchObject({ error: { code: -32_002 } })
  })

  it('serves sent files of the directory that the session opened, not of one that took its place', async () => {
    const [root, other] = [join(world.workDir, 'anna', 'p'), join(world.workDir, 'bob')]
    for (const folder of [root, other]) await mkdir(join(folder, 'uploads'), { recursive: true })
    await writeFile(join(root, 'uploads', 'a.txt'), 'of anna')
    await writeFile(join(other, 'uploads', 'a.txt'), 'of bob')
    const client = await connect(annasKey)
    const { sessionId } = await openIn(client, root)
    const get = (): Promise<Response> =>
      fetch(`${server.url}/api/sessions/${String(sessionId)}/files/uploads/a.txt`, { headers: bearer(annasKey) })
    expect(await (await get()).text()).toBe('of anna')
    await rename(root, `${root}-moved`)
    await symlink(other, root)
    expect([(await get()).status, await (await get()).text()]).toEqual([404, expect.not.stringContaining('of bob')])
    await rm(root)
    await rename(other, root)
    expect((await get()).status).toBe(404)
    await rename(root, other)
  })

  it.each([
    ['no key', {}, 401],
    ['a wrong key', { authorization: 'Bearer sk-blade-v2-wrong' }, 401],
    ['a foreign origin', { origin: 'https://evil.example' }, 403],
    ['no origin at all', { origin: 'null' }, 403],
    ['a foreign host', { host: 'evil.example' }, 403],
  ])('refuses %s', async (_what, headers: Readonly<Record<string, string>>, status) => {
    expect(await refusal({ ...(status === 403 && bearer(annasKey)), ...headers })).toBe(status)
  })

  it('refuses a cross-site cookie, unknown agents and unknown profiles', async () => {
    expect(await refusal({ cookie: `polylogue_session_${new URL(server.url).port}=${annasKey}` })).toBe(403)
    expect(await refusal(bearer(annasKey), '?agent=nobody')).toBe(404)
    expect(await refusal(bearer(annasKey), '?profile=old')).toBe(400)
  })

  it('limits sessions to the directories of their user, with links resolved', async () => {
    const client = await connect(annasKey)
    for (const cwd of [world.workDir, join(world.workDir, 'bob'), join(world.workDir, 'anna', 'link'), '/']) {
      expect(await openIn(client, cwd)).toMatchObject({ error: { code: -32_602 } })
    }
    const local = await connect(server.key)
    expect(await openIn(local, join(world.workDir, 'bob'))).toHaveProperty('sessionId')
  })

  it('starts no programs that a client names', async () => {
    const client = await connect(annasKey)
    const mcp = { name: 'x', command: process.execPath, args: [], env: [] }
    expect(await openIn(client, join(world.workDir, 'anna'), [mcp])).toMatchObject({ error: { code: -32_602 } })
  })

  it('does not use the files and terminals of a client', async () => {
    const client = await connect(server.key)
    const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true }
    await client.request('initialize', { protocolVersion: 1, clientCapabilities })
    await writeFile(join(world.workDir, 'here.txt'), 'on the server')
    const { sessionId } = await openIn(client, world.workDir)
    const text = call('r', 'Read', { path: 'here.txt' })
    await client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
    expect(JSON.stringify(client.frames)).toContain('on the server')
    expect(client.frames.filter(({ id, method }) => id !== undefined && method !== undefined)).toEqual([])
  })

  it('limits every user except local to the permission ceiling', async () => {
    const client = await connect(annasKey)
    const { sessionId } = await openIn(client, join(world.workDir, 'anna'))
    const above = { sessionId, modeId: 'full-access' }
    expect(await client.request('session/set_mode', above)).toMatchObject({ error: { code: expect.any(Number) } })
    const text = call('c', 'Bash', { command: 'touch x' })
    void client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
    await expect.poll(() => JSON.stringify(client.frames)).toContain('session/request_permission')

    const local = await connect(server.key)
    const own = await openIn(local, world.workDir)
    expect(await local.request('session/set_mode', { ...above, sessionId: own['sessionId'] })).toHaveProperty('modeId')
  })

  it('does not cancel the turn of a client that disconnects', async () => {
    const client = await connect(annasKey)
    const { sessionId } = await openIn(client, join(world.workDir, 'anna'))
    const text = 'say on\nsleep 300\nsay finished without you'
    void client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
    await expect.poll(() => JSON.stringify(client.frames)).toContain('agent_message_chunk')
    client.socket.terminate()
    const again = await connect(annasKey)
    await again.request('session/load', { sessionId, cwd: join(world.workDir, 'anna'), mcpServers: [] })
    await expect.poll(() => JSON.stringify(again.frames)).toContain('finished without you')
  })

  it('closes the connections of a revoked key, and accepts text frames only', async () => {
    const { body } = await askOwner(world.dataDir, {
      method: 'POST',
      path: '/api/polylogue/keys',
      body: { name: 'short', user: 'anna' },
    })
    const { id, key } = body as { readonly id: string; readonly key: string }
    const revoked = await connect(key)
    await askOwner(world.dataDir, { method: 'DELETE', path: `/api/polylogue/keys/${id}` })
    expect((await once(revoked.socket, 'close'))[0]).toBe(1008)
    const binary = await connect(annasKey)
    binary.socket.send(Buffer.from('{}'), { binary: true })
    expect((await once(binary.socket, 'close'))[0]).toBe(1003)
  })

  it('B1: refuses malformed frames, and closes on oversized or binary frames without affecting others', async () => {
    const beside = await connect(annasKey)
    const client = await connect(annasKey)
    const before = client.frames.length
    const frames = createMalformedFrames('ash', 300).filter(({ bytes }) => isUtf8(bytes))
    for (const { bytes } of frames) client.socket.send(bytes.subarray(0, -1), { binary: false })
    expect(await client.request('session/list', {})).toHaveProperty('sessions')
    const codes = client.frames
      .slice(before)
      .flatMap(({ error }) => (error as { readonly code?: number } | undefined)?.code ?? [])
    expect(codes.filter((code) => ![-32_700, -32_600, -32_601, -32_602, -32_002].includes(code))).toEqual([])
    expect(codes.length).toBeGreaterThan(100)

    client.socket.send('x'.repeat(33 * 1024 * 1024))
    expect((await once(client.socket, 'close'))[0]).toBe(1009)
    const torn = await connect(annasKey)
    torn.socket.send(Buffer.from([0xff, 0xfe]), { binary: false })
    expect((await once(torn.socket, 'close'))[0]).toBe(1007)
    for (let index = 0; index < 20; index++) {
      const hasty = open(bearer(annasKey))
      await once(hasty, 'open')
      hasty.send('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}')
      hasty.terminate()
    }
    expect(await beside.request('session/list', {})).toHaveProperty('sessions')
    expect(server.output).not.toMatch(/"level":(50|60)/)
  })
})

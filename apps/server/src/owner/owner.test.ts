import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createKeyOf } from '../test-support/ask-owner.ts'
import { exchange } from '../test-support/exchange.ts'
import { startServer } from '../test-support/start-server.ts'
import { makeTempDir } from '../test-support/temp-dir.ts'
import { connectOwner } from './connect-owner.ts'
import { openOwner } from './open-owner.ts'
import type { OwnerConnection } from './owner-connection.ts'

async function connect(dataDir: string): Promise<OwnerConnection> {
  const owner = await connectOwner(dataDir, 60_000)
  if (owner === undefined) throw new Error('nobody owns it')
  onTestFinished(() => owner.close())
  return owner
}

async function open(dataDir: string): Promise<OwnerConnection> {
  const owner = await openOwner({ dataDir, startDir: dataDir, scripted: true, log: 'silent' })
  onTestFinished(() => owner.close())
  return owner
}

const ask = async (owner: OwnerConnection, method: string, path: string, body?: unknown) => {
  const response = await owner.request(method, path, { ...(body !== undefined && { body }) })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) }
}

describe('the owner socket', () => {
  it('says who owns the directory, without a key', async () => {
    const server = await startServer()
    const owner = await connect(server.dataDir)
    expect([owner.pid, owner.embedded]).toEqual([process.pid, false])
    expect((await ask(owner, 'GET', '/api/polylogue/status')).body).toMatchObject({
      pid: process.pid,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      phase: 'ready',
      url: server.url,
      agents: expect.arrayContaining(['scripted']),
      defaultAgent: server.defaultAgent,
      demoAgents: ['assistant', 'coder'],
      doors: ['aap/v3', 'aap/v1', 'acp', 'blade', 'console'],
      sandbox: expect.stringMatching(/^(none|bubblewrap)$/),
      files: 'file-descriptor',
    })
    expect((await ask(owner, 'GET', '/api/polylogue/me')).body).toEqual({ user: 'local', via: 'owner-socket' })
  })

  it('is absent without a server, without a folder, and after a killed owner left its socket', async () => {
    const dataDir = makeTempDir()
    expect(await connectOwner(dataDir)).toBeUndefined()
    expect(await connectOwner(join(dataDir, 'nowhere'))).toBeUndefined()
    writeFileSync(join(dataDir, 'polylogue.sock'), '')
    expect(await connectOwner(dataDir)).toBeUndefined()
    await startServer({ dataDir })
    expect((await connect(dataDir)).pid).toBe(process.pid)
  })

  it('works below a path that is too long for a socket', async () => {
    const dataDir = join(makeTempDir(), 'x'.repeat(80), 'y'.repeat(80))
    mkdirSync(dataDir, { recursive: true })
    const server = await startServer({ dataDir })
    expect((await connect(dataDir)).pid).toBe(process.pid)
    expect(statSync(join(dataDir, 'polylogue.sock')).mode & 0o777).toBe(0o600)
    await server.stop(0)
    expect(await connectOwner(dataDir)).toBeUndefined()
    expect(statSync(join(dataDir, 'polylogue.sock'), { throwIfNoEntry: false })).toBeUndefined()
  })

  it('rejects what it cannot do in JSON', async () => {
    const { dataDir } = await startServer()
    const owner = await connect(dataDir)
    expect(await ask(owner, 'GET', '/nowhere')).toEqual({ status: 404, body: { error: 'Not found' } })
    expect(await ask(owner, 'POST', '/api/polylogue/keys', { name: '' })).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^name: /) },
    })
  })
})

describe('opening the owner', () => {
  it('uses the one that runs', async () => {
    const { dataDir } = await startServer()
    const owner = await open(dataDir)
    expect(owner.embedded).toBe(false)
    await owner.close()
    expect(await connectOwner(dataDir, 60_000)).toBeDefined()
  })

  it('becomes the server when there is none, and ends it on close', async () => {
    const dataDir = makeTempDir()
    const owner = await open(dataDir)
    expect([owner.embedded, owner.pid]).toEqual([true, process.pid])
    const second = await open(dataDir)
    expect(second.embedded).toBe(false)
    expect((await ask(second, 'GET', '/api/polylogue/sessions')).body).toEqual({ sessions: [] })
    await owner.close()
    await owner.close()
    expect(await connectOwner(dataDir)).toBeUndefined()
  })

  it('gives one owner to concurrent starters', async () => {
    const dataDir = makeTempDir()
    const owners = await Promise.all([open(dataDir), open(dataDir), open(dataDir)])
    expect(owners.filter(({ embedded }) => embedded)).toHaveLength(1)
  })
})

it('an aborted request rejects, and the connection stays good', async () => {
  const { dataDir } = await startServer()
  const owner = await connect(dataDir)
  const aborted = owner.request('GET', '/api/polylogue/status', { signal: AbortSignal.abort() })
  await expect(aborted).rejects.toMatchObject({ name: 'AbortError' })
  expect((await ask(owner, 'GET', '/healthz')).status).toBe(200)
})

it('the socket and the port show one server', async () => {
  const server = await startServer()
  const { key } = await createKeyOf('anna', server.dataDir)
  const me = await exchange(`${server.url}/api/polylogue/me`, { headers: { authorization: `Bearer ${key}` } })
  expect(me.body).toMatchObject({ user: 'anna', via: 'key' })
})

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AcpProcess, Frame } from './support/acp-process.ts'
import { type AcpWorld, createAcpWorld } from './support/acp-world.ts'
import { CLIENT, openAcpSession } from './support/acp-session.ts'

// Several processes are started one after another, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000 })

/** Opens the first session of a process that was told to resume. */
async function openFirst(acp: AcpProcess, cwd: string) {
  await acp.request('initialize', CLIENT)
  const { sessionId } = await acp.request('session/new', { cwd, mcpServers: [] })
  return String(sessionId)
}

const isNewSession = ({ result }: Frame) => JSON.stringify(result ?? {}).includes('"sessionId"')

const openAgain = async (acp: AcpProcess, cwd: string) =>
  String((await acp.request('session/new', { cwd, mcpServers: [] }))['sessionId'])

async function leave(acp: AcpProcess): Promise<void> {
  acp.endInput()
  expect(await acp.exited).toEqual({ code: 0, signal: null })
}

describe.each(['alone', 'pipe'] as const)('polylogue acp --resume, %s', (way) => {
  let world: AcpWorld
  let older: string
  let newer: string
  beforeAll(async () => {
    world = await createAcpWorld()
    if (way === 'pipe') await world.serve()
    const acp = await world.start()
    const first = await openAcpSession(acp, world.workDir)
    await first.prompt('say the older one')
    const second = await openAcpSession(acp, world.workDir)
    await second.prompt('say the newer one')
    ;[older, newer] = [first.id, second.id]
    await leave(acp)
  })
  afterAll(() => world.close())

  it('acp 48 and 50: without an id the first session is the one that changed last, replayed before its answer; the next is new', async () => {
    const acp = await world.start(['--resume'])
    expect(await openFirst(acp, world.workDir)).toBe(newer)
    const answer = acp.frames.findIndex(isNewSession)
    const told = acp.frames.findIndex((frame) => JSON.stringify(frame).includes('the newer one'))
    expect(told).toBeGreaterThan(0)
    expect(told).toBeLessThan(answer)
    const next = await openAgain(acp, world.workDir)
    expect([older, newer]).not.toContain(next)
    await leave(acp)
  })

  it('with --resume-replay after, it is replayed right after the answer', async () => {
    const acp = await world.start(['--resume', '--resume-replay', 'after'])
    expect(await openFirst(acp, world.workDir)).toBe(newer)
    const told = await acp.frame((frame) => JSON.stringify(frame).includes('the newer one'))
    expect(acp.frames.indexOf(told)).toBeGreaterThan(acp.frames.findIndex(isNewSession))
    await leave(acp)
  })

  it('acp 49: an id or a unique prefix selects that session', async () => {
    for (const selector of [older, older.slice(0, -2)]) {
      const acp = await world.start(['--resume', selector])
      expect(await openFirst(acp, world.workDir)).toBe(older)
      expect(acp.said(older)).toBe('the older one')
      await leave(acp)
    }
  })

  it('acp 51: an unknown id, an ambiguous prefix or another directory gives a new session and no error', async () => {
    const elsewhere = join(world.path, 'elsewhere')
    await mkdir(elsewhere, { recursive: true })
    const tries = [
      [['--resume', 'ffffffff-0000-7000-8000-000000000000'], world.workDir],
      [['--resume', older.slice(0, 4)], world.workDir],
      [['--resume', newer], elsewhere],
    ] as const
    for (const [flags, cwd] of tries) {
      const acp = await world.start(flags)
      expect([older, newer]).not.toContain(await openFirst(acp, cwd))
      expect(acp.frames.filter(({ error }) => error !== undefined)).toEqual([])
      await leave(acp)
    }
  })

  it('acp 52: a session that is already open on the connection is not opened again', async () => {
    const acp = await world.start(['--resume', newer])
    await acp.request('initialize', CLIENT)
    await acp.request('session/load', { sessionId: newer, cwd: world.workDir, mcpServers: [] })
    expect(await openAgain(acp, world.workDir)).not.toBe(newer)
    await leave(acp)
  })
})

describe('acp 51: a store', () => {
  let world: AcpWorld
  beforeEach(async () => {
    world = await createAcpWorld()
  })
  afterEach(() => world.close())

  it('that is empty gives a new session', async () => {
    const acp = await world.start(['--resume'])
    expect(await openFirst(acp, world.workDir)).toMatch(/^[0-9a-f-]{36}$/)
    await leave(acp)
  })

  it('with an unreadable session gives a new one', async () => {
    const acp = await world.start()
    const broken = await openAcpSession(acp, world.workDir)
    await broken.prompt('say soon unreadable')
    await leave(acp)
    const database = new DatabaseSync(join(world.dataDir, 'polylogue.db'))
    const tables = database.prepare("select name from sqlite_master where name in ('events', 'snapshots')").all()
    expect(tables.length).toBeGreaterThan(0)
    for (const { name } of tables) damage(database, String(name), broken.id)
    database.close()

    const next = await world.start(['--resume', broken.id])
    expect(await openFirst(next, world.workDir)).not.toBe(broken.id)
    expect(next.frames.filter(({ error }) => error !== undefined)).toEqual([])
    await leave(next)
  })
})

/** Writes something that is not JSON into every text or blob column that holds what happened. */
function damage(database: DatabaseSync, table: string, sessionId: string): void {
  const columns = database.prepare(`pragma table_info(${table})`).all()
  const payload = columns.map(({ name }) => String(name)).find((name) => /payload|event|state|data|body/.test(name))
  if (payload === undefined) return
  database.prepare(`update ${table} set ${payload} = '{broken' where session_id = ?`).run(sessionId)
}

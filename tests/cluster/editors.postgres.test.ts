import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEditorApp, type EditorApp } from '../acp/support/editor-app.ts'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import { askOwner } from '../support/owner-socket.ts'
import { call } from '../support/script.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import type { ServerDatabase } from '../support/test-server.ts'
import { prepareNodes, type Nodes } from './support/nodes.ts'

const PROGRAM = fileURLToPath(new URL('../../polylogue', import.meta.url))
const FILES = { fs: { readTextFile: true, writeTextFile: true } }

let database: ServerDatabase
let admin: pg.Client
let nodes: Nodes
let node: ServerProcess
let child: ChildProcess
let editor: EditorApp
let sessionId: string

beforeAll(async () => {
  database = await createTestDatabase()
  admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  nodes = await prepareNodes(database.url)
  node = await nodes.start('server')
  const work = join(nodes.folder, 'work')
  await mkdir(work)
  await writeFile(join(work, 'a.txt'), 'saved')
  const args = ['acp', '--data', join(nodes.folder, 'editor'), '--database', database.url, '--agent', 'scripted']
  child = spawn(PROGRAM, [...args, ...nodes.flags], {
    cwd: nodes.folder,
    env: { ...process.env, ...nodes.environment },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  editor = startEditorApp(child)
  editor.buffers.set(join(work, 'a.txt'), 'not saved')
  sessionId = await editor.open(work, FILES)
}, 60_000)
afterAll(async () => {
  if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
  await nodes.remove()
  await admin.end()
  await database.drop()
})

const lastEvent = async (): Promise<string> => {
  const { rows } = await admin.query<{ type: string; data: string }>(
    'SELECT type, data FROM polylogue.events WHERE session_id = $1 ORDER BY seq DESC LIMIT 1',
    [sessionId],
  )
  return `${rows[0]?.type} ${rows[0]?.data}`
}
const untilLast = (what: string, ...parts: readonly string[]): Promise<string> =>
  eventually(async () => {
    const last = await lastEvent()
    return parts.every((part) => last.includes(part)) ? last : undefined
  }, what)

describe('an editor with the database of a cluster', { timeout: 60_000 }, () => {
  it('cluster 61: is a node, and a prompt at another node works on the files of the editor', async () => {
    const there = attachSession(node.client(V3), sessionId)
    await there.turn(call('r', 'Read', { path: 'a.txt' }))
    expect(JSON.stringify(await there.history())).toContain('not saved')
    expect(editor.asked.length).toBeGreaterThan(0)
    const known = (await askOwner(node.dataDir, { method: 'GET', path: '/api/polylogue/nodes' })).body
    expect(known).toMatchObject({ nodes: expect.arrayContaining([expect.objectContaining({ role: 'editor' })]) })
  })

  it('cluster 62: that dies leaves its turn interrupted, and the session continues at any node', async () => {
    const there = attachSession(node.client(V3), sessionId)
    const stream = await there.stream('delta', 'sleep 600000')
    void stream.finished().catch(() => undefined)
    await untilLast('the editor runs the turn', 'step.started')
    const { rows } = await admin.query<{ owner: string }>(
      'SELECT owner FROM polylogue.sessions WHERE session_id = $1',
      [sessionId],
    )
    expect(rows[0]?.owner).toMatch(`${child.pid}-`)
    child.kill('SIGKILL')
    await untilLast('the turn ends', 'turn.ended', 'interrupted')
    await there.turn('say again')
    expect(JSON.stringify(await there.history())).toContain('again')
  })

  it('cluster 63: a node of another machine leaves the directory to its machine, and refuses it when that has no node', async () => {
    const there = attachSession(node.client(V3), sessionId)
    await admin.query("UPDATE polylogue.sessions SET machine = 'elsewhere' WHERE session_id = $1", [sessionId])
    await admin.query(`INSERT INTO polylogue.nodes (node_id, lease_until, started_at, role, version, machine, pid)
      VALUES ('1-elsewhere', polylogue.now_ms() + 3600000, 0, 'worker', '0', 'elsewhere', 1)`)
    const stream = await there.stream('delta', 'say never')
    const ended = stream.finished()
    await untilLast('the turn waits', 'turn.started')
    // A session that waits for three seconds is claimed by whoever looks for such sessions each second.
    const waits = await eventually(async () => {
      const { rows } = await admin.query<{ owner: string | null; waited: string }>(
        'SELECT owner, polylogue.now_ms() - wanted_since AS waited FROM polylogue.sessions WHERE session_id = $1',
        [sessionId],
      )
      return rows[0]?.owner !== null || Number(rows[0].waited) > 5_000 ? rows[0] : undefined
    }, 'nobody claims the session')
    expect(waits?.owner).toBeNull()
    expect(await lastEvent()).toContain('turn.started')
    await admin.query("DELETE FROM polylogue.nodes WHERE node_id = '1-elsewhere'")
    await ended
    expect(await lastEvent()).toContain('The directories of this session are on the machine elsewhere')
  })
})

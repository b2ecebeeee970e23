import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ServerDatabase } from '../support/databases.ts'
import { NEXT, call, script } from '../support/script.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { attachToolSession, openToolSession } from '../tools/tool-session.ts'
import { prepareNodes, type NodeChanges, type Nodes } from './support/nodes.ts'

let database: ServerDatabase
let nodes: Nodes
let shared: string
let a: ServerProcess
let b: ServerProcess

beforeAll(async () => {
  database = await createTestDatabase()
  nodes = await prepareNodes(database.url)
  shared = join(nodes.folder, 'shared')
  const more = { flags: ['--workspaces', shared] }
  // Both find the directory without a marker.
  ;[a, b] = await Promise.all([nodes.start('a', more), nodes.start('b', more)])
}, 90_000)
afterAll(async () => {
  await nodes.remove()
  await database.drop()
})

describe('the directory that --workspaces names on all nodes', { timeout: 90_000 }, () => {
  it('cluster 47: holds the files of sessions, so any node continues a session with them', async () => {
    const here = await openToolSession(a, { preset: 'full-access' })
    await here.turn(
      script(
        call('w1', 'Write', { path: 'note.txt', content: 'written on a' }),
        call('w2', 'Bash', { command: 'seq 1 30000' }),
      ),
    )
    const [, output = ''] = /all of it is in (\S+) …/.exec(JSON.stringify((await here.callOf('w2')).output)) ?? []
    expect(output.startsWith(join(shared, 'bash', 'outputs', here.id))).toBe(true)
    await a.kill()

    const there = attachToolSession(b, here.id)
    await there.turn(
      script(
        call('r1', 'Read', { path: 'note.txt' }),
        call('r2', 'Grep', { pattern: '^29999$', path: output }),
        NEXT,
        call('r3', 'Write', { path: 'note.txt', content: 'written on b' }),
      ),
    )
    const calls = await there.calls()
    expect(JSON.stringify(calls.get('r1')?.output)).toContain('written on a')
    expect(JSON.stringify(calls.get('r2')?.output)).toContain('29999')
    expect(calls.get('r3')?.status).toBe('completed')
    expect(await readdir(join(shared, 'workspaces'))).toEqual([here.id])
    for (const { dataDir } of [a, b]) expect(existsSync(join(dataDir, 'workspaces'))).toBe(false)

    await there.client.remove(there.id)
    expect(await readdir(join(shared, 'workspaces'))).toEqual([])
    expect(existsSync(output)).toBe(false)
  })

  const refusalOf = (name: string, flags: readonly string[]): Promise<string> =>
    nodes.start(name, { flags }).then(
      () => 'it started',
      (error: unknown) => String(error),
    )

  it.each(['all', 'worker', 'web'])(
    'cluster 47: role %s with another directory is refused in a sentence',
    async (role) => {
      const other = join(nodes.folder, `other-${role}`)
      await mkdir(other)
      expect(await refusalOf(role, ['--role', role, '--workspaces', other])).toContain(
        `The directory ${other} is not the one of the other nodes on this database: give all nodes the same shared directory with --workspaces.`,
      )
      // It may be the empty place where the shared directory is not mounted yet.
      expect(await readdir(other)).toEqual([])
    },
  )

  it.each(['all', 'worker'])('cluster 47: role %s without a directory is refused in a sentence', async (role) => {
    expect(await refusalOf(`bare-${role}`, ['--role', role])).toContain(
      'The other nodes on this database keep the files of sessions in a shared directory: name it with --workspaces.',
    )
  })

  it('cluster 63: refuses turns with a sentence while it is not mounted, and writes nothing in its place', async () => {
    const session = await openToolSession(b, { preset: 'full-access' })
    await session.turn(script(call('u1', 'Write', { path: 'note.txt', content: 'before' })))
    await rename(shared, `${shared}-away`)
    await mkdir(shared)
    const answer = await session.turn(script(call('u2', 'Write', { path: 'note.txt', content: 'meanwhile' })))
    expect(JSON.stringify(answer)).toContain(
      `No node that runs turns has the shared directory ${shared}, which --workspaces names.`,
    )
    expect(await readdir(shared)).toEqual([])
    await rmdir(shared)
    await rename(`${shared}-away`, shared)
    await session.turn(script(call('u3', 'Read', { path: 'note.txt' })))
    expect(JSON.stringify((await session.callOf('u3')).output)).toContain('before')
  })

  it('cluster 47: a web node runs no tools and needs no directory; the environment can name it too', async () => {
    const more: NodeChanges = { environment: { POLYLOGUE_WORKSPACES: shared }, flags: ['--role', 'worker'] }
    await Promise.all([nodes.start('web-only', { flags: ['--role', 'web'] }), nodes.start('by-environment', more)])
  })
})

// Runs the commands of "Backup and restore" in docs/deploy.md as they stand there, against a server of its own.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { startPostgres, type StartedPostgres } from '../house/start-postgres.ts'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import { query } from '../support/test-database.ts'
import { prepareNodes, type Nodes } from './support/nodes.ts'

const PAGE = fileURLToPath(new URL('../../docs/deploy.md', import.meta.url))
const PROGRAM = fileURLToPath(new URL('../../polylogue', import.meta.url))

let server: StartedPostgres
let nodes: Nodes
let host: string
const seconds = startStopwatch()

beforeAll(async () => {
  server = await startPostgres()
  host = new URL(server.url).host
  await query(server.url, 'CREATE ROLE polylogue LOGIN')
  await query(server.url, 'CREATE DATABASE polylogue OWNER polylogue')
  nodes = await prepareNodes(`postgres://polylogue@${host}/polylogue`)
}, 90_000)
afterAll(async () => {
  await nodes.remove()
  await server.stop()
})

const run = (command: string) =>
  spawnSync('sh', ['-c', command], {
    cwd: nodes.folder,
    env: { ...process.env, ...nodes.environment },
    encoding: 'utf8',
  })

it('the documented backup of running nodes is restored with every session', { timeout: 120_000 }, async () => {
  const node = await nodes.start('a')
  const session = await openSession(node.client(V3), { agent: 'scripted' })
  await session.turn('say kept')
  const before = await session.history()
  // The role of the nodes sees nobody's rows without naming a user. A backup without them must not look like a good one.
  const own = run(`pg_dump --file=own.sql postgres://polylogue@${host}/polylogue`)
  expect(own.status).not.toBe(0)
  expect(own.stderr).toContain('row-level security')

  const block = readFileSync(PAGE, 'utf8')
    .split('```')
    .find((text) => text.startsWith('sh') && text.includes('pg_dump'))
  const commands = block?.split('\n').slice(1).filter(Boolean) ?? []
  expect(commands.length).toBeGreaterThan(4)
  for (const command of commands) {
    const done = run(
      command
        .replaceAll('db.example', host)
        .replace(/^polylogue /, `${PROGRAM} `)
        .concat(command.startsWith('polylogue ') ? ` --data ${join(nodes.folder, 'a')}` : ''),
    )
    expect({ command, status: done.status, stderr: done.stderr }).toEqual({ command, status: 0, stderr: '' })
  }
  await nodes.killAll()
  const restored = await nodes.start('a', { database: `postgres://polylogue@${host}/restored` })
  const again = attachSession(restored.client(V3), session.id)
  expect(await again.history()).toEqual(before)
  expect(JSON.stringify(await again.history())).toContain('kept')
  await again.turn('say more')
  expect(JSON.stringify(await again.history())).toContain('more')
  tellProof({
    ...{ id: 'backup', store: 'postgres', seed: 'none', seconds: seconds() },
    ...{
      what: 'commands of the documented backup and restore, while a node runs',
      count: commands.length,
      failures: 0,
    },
  })
})

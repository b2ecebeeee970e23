import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerDatabase } from '../support/databases.ts'
import { askOwner } from '../support/owner-socket.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { prepareNodes, type Nodes } from './support/nodes.ts'

let database: ServerDatabase
let nodes: Nodes

beforeAll(async () => {
  database = await createTestDatabase()
  nodes = await prepareNodes(database.url)
})
afterAll(async () => {
  await nodes.remove()
  await database.drop()
})

const newKey = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')

describe('what all nodes must have in common', { timeout: 90_000 }, () => {
  it('the operator has one key, however many nodes start with an empty data directory', async () => {
    const first = await nodes.start('first')
    const second = await nodes.start('second')
    expect(second.key).toBe(first.key)
    const { body } = await askOwner(first.dataDir, { method: 'GET', path: '/api/polylogue/keys' })
    expect(body).toMatchObject({ keys: [{ user: 'local', name: 'local' }] })
  })

  it('the data directory of a node is not taken for that of a server with a file', async () => {
    const { dataDir, kill } = await nodes.start('stopped')
    await kill()
    const { environment, flags, folder } = nodes
    const withoutDatabase = startServerProcess({ dataDir, startDir: folder, flags, environment })
    await expect(withoutDatabase).rejects.toThrow(
      /stopped is that of a node on .*Name this database with --database, or another directory with --data\./,
    )
    expect(existsSync(join(dataDir, 'polylogue.db'))).toBe(false)
    await nodes.start('stopped')
  })

  it('cluster 21: a node with another secret key is refused in a sentence; a new key on top of the old one is not', async () => {
    await nodes.start('a')
    const other = { POLYLOGUE_SECRET_KEY_FILE: join(nodes.folder, 'other.key') }
    await expect(nodes.start('b', { environment: other })).rejects.toThrow(
      'The secret key of this node is not the one of the other nodes on this database: give all nodes the same POLYLOGUE_SECRET_KEY_FILE.',
    )
    const shared = await readFile(join(nodes.folder, 'secret.key'), 'utf8')
    const top = newKey()
    await writeFile(other.POLYLOGUE_SECRET_KEY_FILE, `${top}\n${shared}`, { mode: 0o600 })
    await nodes.start('b', { environment: other })
    // The new key is known now.
    await writeFile(other.POLYLOGUE_SECRET_KEY_FILE, `${top}\n`, { mode: 0o600 })
    await nodes.start('c', { environment: other })
  })
})

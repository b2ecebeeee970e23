import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunningServer, type ServeOptions, serve } from '@polylogue/server'
import { type AapClient, createAapClient } from './aap-client.ts'
import type { Dialect } from './aap-dialect.ts'
import { databaseOf, dropDatabase } from './databases.ts'
import { createUserKey } from './owner-socket.ts'
import { createTempDir } from './temp-dir.ts'

export { type ServerDatabase, useDatabases } from './databases.ts'

/** Long enough for normal turns, too short to hide a turn that hangs. */
const GRACE_MS = 2_000

/** A complete server in this process, on a real TCP socket, with its own data directory. */
export interface TestServer {
  readonly url: string
  /** The key of the user `local`. */
  readonly key: string
  readonly dataDir: string
  client(dialect: Dialect, key?: string): AapClient
  /** Creates a key for this user, as an administrator does. */
  createKey(user: string): Promise<string>
  /** Restarts the server with the same data on another port. Create new clients afterwards. */
  restart(changes?: Partial<ServeOptions>, stop?: { readonly graceMs: number }): Promise<void>
  /** Also removes the data. Idempotent. */
  stop(): Promise<void>
}

export async function startTestServer(options: Partial<ServeOptions> = {}): Promise<TestServer> {
  const dir = await createTempDir()
  const database = options.database === undefined ? await databaseOf(dir.path) : undefined
  if (options.database?.startsWith('postgres://') === true) await shareSecretKey(dir.path, options.database)
  const start = (changes: Partial<ServeOptions>): Promise<RunningServer> =>
    serve({
      dataDir: dir.path,
      startDir: dir.path,
      scripted: true,
      listen: { host: '127.0.0.1', port: 0 },
      log: 'silent',
      ...(database && { database: database.url }),
      ...(database?.directUrl !== undefined && { databaseDirect: database.directUrl }),
      ...options,
      ...changes,
    })
  let running = await start({})
  let isStopped = false
  const url = (): string => {
    if (running.url === undefined) throw new Error('the server has no listener')
    return running.url
  }
  const localKey = (): string => {
    if (running.localKey === undefined) throw new Error('the server has no key')
    return running.localKey
  }

  return {
    get url() {
      return url()
    },
    get key() {
      return localKey()
    },
    dataDir: dir.path,
    client: (dialect, key = localKey()) => createAapClient({ url: url(), key, dialect }),
    createKey: (user) => createUserKey(dir.path, user),
    async restart(changes = {}, { graceMs } = { graceMs: GRACE_MS }) {
      await running.stop(graceMs)
      running = await start(changes)
    },
    async stop() {
      if (isStopped) return
      isStopped = true
      await running.stop(GRACE_MS)
      await dir.remove()
      await dropDatabase(dir.path)
    },
  }
}

/** The nodes of one database have one secret key. */
async function shareSecretKey(dataDir: string, database: string): Promise<void> {
  const key = createHash('sha256').update(new URL(database).pathname).digest('base64url')
  await writeFile(join(dataDir, 'secret.key'), `${key}\n`, { mode: 0o600 })
}

import { type RunningServer, type ServeOptions, serve } from '@polylogue/server'
import { type AapClient, createAapClient } from './aap-client.ts'
import type { Dialect } from './aap-dialect.ts'
import { createUserKey } from './owner-socket.ts'
import { createTempDir } from './temp-dir.ts'

/** Enough for a turn that ends by itself, too short to hide one that hangs. */
const GRACE_MS = 2_000

/** A whole server in this process, behind a real TCP socket, with a data directory of its own. */
export interface TestServer {
  readonly url: string
  /** Of the user `local`. */
  readonly key: string
  readonly dataDir: string
  client(dialect: Dialect, key?: string): AapClient
  /** A new key of this user, made as an administrator makes it. */
  createKey(user: string): Promise<string>
  /** Stops and serves the same data again, on another port: take new clients. */
  restart(changes?: Partial<ServeOptions>, stop?: { readonly graceMs: number }): Promise<void>
  /** Also removes the data. Idempotent. */
  stop(): Promise<void>
}

export async function startTestServer(options: Partial<ServeOptions> = {}): Promise<TestServer> {
  const dir = await createTempDir()
  const start = (changes: Partial<ServeOptions>): Promise<RunningServer> =>
    serve({
      dataDir: dir.path,
      startDir: dir.path,
      scripted: true,
      listen: { host: '127.0.0.1', port: 0 },
      log: 'silent',
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
    },
  }
}

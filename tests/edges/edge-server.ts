import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunningServer, type ServeOptions, serve } from '@polylogue/server'
import { type AapClient, createAapClient } from '../support/aap-client.ts'
import { V3 } from '../support/aap-dialect.ts'
import { createUserKey } from '../support/owner-socket.ts'
import { createTempDir } from '../support/temp-dir.ts'

/** A whole server in this process behind a real socket, with what a test of its edges needs to know about it. */
export interface EdgeServer {
  readonly url: string
  readonly host: string
  readonly port: number
  readonly key: string
  readonly dataDir: string
  readonly signInUrl: string
  /** As the router has them, with an id in the place of `:id`. */
  readonly routes: readonly Route[]
  client(key?: string): AapClient
  createKey(user: string): Promise<string>
  /** Idempotent. Removes the data. */
  stop(): Promise<void>
}

export interface Route {
  readonly method: string
  readonly path: string
}

export interface EdgeOptions extends Partial<ServeOptions> {
  /** What polylogue.config.json holds. */
  readonly config?: object
}

export const ANY_ID = '01900000-0000-7000-8000-000000000000'

export async function startEdgeServer({ config, ...options }: EdgeOptions = {}): Promise<EdgeServer> {
  const dir = await createTempDir()
  const dataDir = options.dataDir ?? join(dir.path, 'data')
  if (config !== undefined) await writeFile(join(dir.path, 'polylogue.config.json'), JSON.stringify(config))
  const server = await serve({
    startDir: dir.path,
    scripted: true,
    listen: { host: '127.0.0.1', port: 0 },
    log: 'silent',
    ...options,
    dataDir,
  })
  return toEdgeServer(server, dataDir, () => dir.remove())
}

async function toEdgeServer(server: RunningServer, dataDir: string, remove: () => Promise<void>): Promise<EdgeServer> {
  const { url, signInUrl, localKey: key } = server
  if (url === undefined || signInUrl === undefined || key === undefined) throw new Error('the server has no listener')
  const { host, port } = new URL(url)
  let stopped: Promise<void> | undefined
  return {
    url,
    host,
    port: Number(port),
    key,
    dataDir,
    signInUrl,
    routes: (await server.routes()).map(toRoute),
    client: (other = key) => createAapClient({ url, key: other, dialect: V3 }),
    createKey: (user) => createUserKey(dataDir, user),
    stop: () => (stopped ??= server.stop(0).then(remove)),
  }
}

function toRoute(line: string): Route {
  const [method = '', path = ''] = line.split(' ')
  return { method, path: path.replace(':id', ANY_ID).replace(/:\w+\{[^}]+\}/, 'uploads/file.txt') }
}

export const bearer = (key: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${key}` })

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ServerProcess, type ServerProcessOptions, startServerProcess } from '../support/server-process.ts'

export interface WatchedServer {
  readonly server: ServerProcess
  /** The longest stop of the event loop since the last call, in CPU milliseconds of its thread. */
  longestStop(): number
}

/** A server whose event loop is watched. */
export async function startWatchedServer(
  directory: string,
  options: Omit<ServerProcessOptions, 'dataDir' | 'environment'> = {},
): Promise<WatchedServer> {
  const loopFile = join(directory, 'loop')
  writeFileSync(loopFile, '')
  const watch = new URL('programs/watch-loop.mjs', import.meta.url)
  const environment = { NODE_OPTIONS: `--import ${watch.href}`, LOOP_FILE: loopFile }
  const dataDir = join(directory, 'data')
  const server = await startServerProcess({ startDir: directory, ...options, dataDir, environment })
  let seen = 0
  return {
    server,
    longestStop() {
      const stops = readFileSync(loopFile, 'utf8').split('\n').filter(Boolean).map(Number)
      const longest = Math.max(0, ...stops.slice(seen))
      seen = stops.length
      return longest
    },
  }
}

/** Sends a request with a JSON body. */
export async function sendJson(
  { url, key }: { readonly url: string; readonly key: string },
  method: string,
  [path, body]: readonly [path: string, body?: unknown],
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: answer.status, text: await answer.text() }
}

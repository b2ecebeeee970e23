import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { findFreePort } from './free-port.ts'

export interface TempRedis {
  readonly url: string
  stop(): Promise<void>
}

/** A Redis server that stores nothing. `undefined` when this machine has none. */
export async function startTempRedis(): Promise<TempRedis | undefined> {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const program = folders.map((folder) => join(folder, 'redis-server')).find((path) => existsSync(path))
  if (program === undefined) return undefined
  const port = await findFreePort()
  const server = spawn(program, ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: server.stdout }).on('line', (line) => {
      if (line.includes('Ready to accept connections')) resolve()
    })
    server.once('exit', (code) => reject(new Error(`Redis ended with ${code}`)))
    server.once('error', reject)
  })
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      if (server.exitCode === null && server.kill()) await once(server, 'exit')
    },
  }
}

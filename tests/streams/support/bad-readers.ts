import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Exchange } from '../../support/http-exchange.ts'

/** How many readers of each kind. */
export interface BadReaders {
  /** Read nothing at all. */
  readonly silent: number
  /** Read 100 bytes in a second. */
  readonly slow: number
  /** Have left, and the network keeps it from the server. */
  readonly gone: number
}

const PROGRAM = fileURLToPath(new URL('../programs/read-badly.ts', import.meta.url))

/** Opens so many streams with this request. They stay until disposed of, or until the server lets them go. */
export async function openBadReaders(watch: Exchange, readers: BadReaders): Promise<AsyncDisposable> {
  const order = JSON.stringify({ watch, ...readers })
  const child = spawn(process.execPath, [PROGRAM, order], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const ready = once(child.stdout, 'data')
  await Promise.race([ready, exited.then(() => Promise.reject(new Error('the readers were not let in')))])
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

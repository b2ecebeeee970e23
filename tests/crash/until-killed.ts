import { setTimeout as delay } from 'node:timers/promises'
import type { ServerProcess } from '../support/server-process.ts'

const DEATH_WITHIN_MS = 5_000
/** A cycle that hangs fails, and its servers are ended. The test runner would leave them running. */
const SCRIPT_WITHIN_MS = 60_000

/** `false` when the script ended first. The process is then killed at rest. */
export async function playUntilKilled(
  play: (server: ServerProcess) => Promise<void>,
  start: () => Promise<ServerProcess>,
): Promise<boolean> {
  let server: ServerProcess | undefined
  try {
    server = await start()
    await within(play(server))
    return false
  } catch (error) {
    if (server !== undefined && !(await isDeadSoon(server.pid))) throw error
    return true
  } finally {
    await server?.kill()
  }
}

/** Rejects when the work does not end in time. */
export async function within<T>(work: Promise<T>): Promise<T> {
  const cancelled = new AbortController()
  const late = delay(SCRIPT_WITHIN_MS, undefined, { signal: cancelled.signal }).then(() => {
    throw new Error(`the script is not over after ${SCRIPT_WITHIN_MS} ms`)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    cancelled.abort()
    late.catch(() => undefined)
    work.catch(() => undefined)
  }
}

async function isDeadSoon(pid: number): Promise<boolean> {
  for (let waited = 0; waited < DEATH_WITHIN_MS; waited += 10) {
    try {
      process.kill(pid, 0)
    } catch {
      return true
    }
    await delay(10)
  }
  return false
}

import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { witnessEnvironment } from './ask-witness.ts'

/** The server that the inputs are sent to. */
export interface Subject {
  readonly url: string
  readonly key: string
  readonly pid: number
  readonly ownerSocket: string
  readonly witness: string
  /** A key of somebody else. */
  readonly foreignKey: string
  /** All that it has complained about so far. */
  readonly complaints: string
  readonly isRunning: boolean
  /** Resolves when it has ended, at the latest after this time. */
  ended(withinMs: number): Promise<void>
  stop(): Promise<void>
}

/** The real program. It logs warnings and errors only, and input is no reason for either. */
export async function startSubject(): Promise<Subject> {
  const dir = await createTempDir()
  const witness = join(dir.path, 'witness.sock')
  const dataDir = join(dir.path, 'data')
  const server = await startServerProcess({
    dataDir,
    startDir: dir.path,
    environment: { ...witnessEnvironment(witness), POLYLOGUE_LOG: 'warn' },
  })
  const foreignKey = await server.createKey('somebody-else')
  return {
    url: server.url,
    key: server.key,
    pid: server.pid,
    ownerSocket: join(dataDir, 'polylogue.sock'),
    witness,
    foreignKey,
    get complaints() {
      return server.output
    },
    get isRunning() {
      return isRunning(server.pid)
    },
    async ended(withinMs) {
      const giveUpAt = performance.now() + withinMs
      while (isRunning(server.pid) && performance.now() < giveUpAt) await delay(20)
    },
    async stop() {
      await server.stop()
      await dir.remove()
    },
  }
}

/** Whether there is such a process; one that has ended and was not waited for yet counts as ended. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

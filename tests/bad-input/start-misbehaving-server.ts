import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createTempDir } from '../support/temp-dir.ts'
import { witnessEnvironment } from './ask-witness.ts'
import type { Fault } from './fault.ts'
import type { Subject } from './subject.ts'

const PROGRAM = fileURLToPath(new URL('./misbehaving-server.ts', import.meta.url))

export async function startMisbehavingServer(fault: Fault): Promise<Subject> {
  const dir = await createTempDir()
  const witness = join(dir.path, 'witness.sock')
  const child = spawn(process.execPath, [PROGRAM, fault], {
    env: { ...process.env, ...witnessEnvironment(witness) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
  const exited = once(child, 'exit')
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { url, key, pid } = JSON.parse(line) as Pick<Subject, 'url' | 'key' | 'pid'>
  return {
    url,
    key,
    pid,
    foreignKey: key,
    ownerSocket: '',
    witness,
    get complaints() {
      return complaints
    },
    get isRunning() {
      return child.exitCode === null && child.signalCode === null
    },
    async ended(withinMs) {
      await Promise.race([exited, delay(withinMs)])
    },
    async stop() {
      child.kill('SIGKILL')
      await exited
      await dir.remove()
    },
  }
}

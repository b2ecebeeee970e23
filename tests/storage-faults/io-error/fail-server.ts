import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { type Injection, databaseFiles, failCalls } from '../strace-flags.ts'

const MOST_WRITES = 60
const SPOKEN = 'say before the fault'

/**
 * Makes one call of a running server fail with EIO. From then on the server must answer reads and refuse every write,
 * even when the disk works again. After a restart it must have all acknowledged data.
 */
export async function failServer(injection: Injection): Promise<readonly string[]> {
  const temp = await createTempDir()
  let server = await startServerProcess({ dataDir: temp.path })
  try {
    const session = await openSession(server.client(V3))
    await session.turn(SPOKEN)
    const acknowledged = [session.id]
    const problems: string[] = []

    const fault = await attachFault(server, injection)
    try {
      problems.push(...(await writeUntilRefused(server, acknowledged)))
      problems.push(...(await checkReadOnly(server, acknowledged)))
    } finally {
      await fault.detach()
    }
    problems.push(...(await checkReadOnly(server, acknowledged)))
    if (!server.output.includes('the storage fails')) problems.push('its log does not say that the storage fails')

    await server.kill()
    server = await startServerProcess({ dataDir: temp.path })
    problems.push(...(await checkAcknowledged(server, acknowledged)))
    const talk = await server.client(V3).history(session.id, 'full')
    if (talk[0]?.content !== SPOKEN) problems.push('the session before the fault is not what it was')
    await openSession(server.client(V3))
    return problems
  } finally {
    await server.kill()
    await temp.remove()
  }
}

async function attachFault(server: ServerProcess, injection: Injection): Promise<{ detach(): Promise<void> }> {
  const files = databaseFiles(join(server.dataDir, 'polylogue.db'))
  const [command = '', ...flags] = failCalls(injection, files, join(server.dataDir, 'trace'))
  // strace cannot install a seccomp filter in a running process.
  const attached = flags.filter((flag) => flag !== '-qq' && flag !== '--seccomp-bpf')
  const strace = spawn(command, [...attached, '-p', String(server.pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exit = once(strace, 'exit')
  // strace prints a line when it is attached.
  await Promise.race([once(createInterface({ input: strace.stderr }), 'line'), exit])
  if (strace.exitCode !== null) throw new Error('strace could not attach to the server')
  return {
    async detach() {
      strace.kill('SIGTERM')
      await exit
    },
  }
}

const createBare = (server: ServerProcess) => server.client(V3).create({ agent: { name: 'scripted' } })

/** Creating a session is one append. Its id is the acknowledgement. */
async function writeUntilRefused(server: ServerProcess, acknowledged: string[]): Promise<readonly string[]> {
  for (let write = 0; write < MOST_WRITES; write++) {
    const answer = await createBare(server)
    if (answer.status === 201) acknowledged.push(answer.body.sessionId)
    else return isRefusal(answer) ? [] : [`the failing write was answered ${answer.status} ${answer.text}`]
  }
  return ['the fault was never met']
}

async function checkReadOnly(server: ServerProcess, acknowledged: readonly string[]): Promise<readonly string[]> {
  const problems: string[] = [...(await checkAcknowledged(server, acknowledged))]
  const answer = await createBare(server)
  if (!isRefusal(answer)) problems.push(`a write after the fault got ${answer.status} ${answer.text}`)
  return problems
}

async function checkAcknowledged(server: ServerProcess, acknowledged: readonly string[]): Promise<readonly string[]> {
  const problems: string[] = []
  for (const id of acknowledged) {
    const { status, text } = await server.client(V3).get(id)
    if (status !== 200) problems.push(`the acknowledged session ${id} got ${status} ${text}`)
  }
  return problems
}

function isRefusal({ status, text }: { readonly status: number; readonly text: string }): boolean {
  return status === 503 && text.includes('storage-unavailable')
}

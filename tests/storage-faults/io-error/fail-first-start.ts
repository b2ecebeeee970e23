import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { type Injection, failCalls } from '../strace-flags.ts'

const PROGRAM = fileURLToPath(new URL('../../../polylogue', import.meta.url))

/** Makes a call on the key files fail while they are created. The server must not start, but must start next time. */
export async function failFirstStart(injection: Injection): Promise<readonly string[]> {
  const temp = await createTempDir()
  try {
    const data = join(temp.path, 'data')
    const files = ['secret.key', 'local.key'].flatMap((name) => [join(data, name), join(data, `${name}.new`)])
    const [command = '', ...flags] = failCalls(injection, files, join(temp.path, 'trace'))
    const serve = [PROGRAM, 'serve', '--port', '0', '--json', '--data', data]
    const child = spawn(command, [...flags, ...serve], { cwd: temp.path, stdio: ['ignore', 'ignore', 'pipe'] })
    const [complaint] = await Promise.all([text(child.stderr), once(child, 'exit')])
    const problems: string[] = []
    if (child.exitCode === 0) problems.push('it started, or ended well')
    if (!/^polylogue: \S+\.key cannot be (?:written|read): EIO: i\/o error\. [^\n]+\n$/.test(complaint)) {
      problems.push(`the output does not name the failure in one sentence: ${complaint}`)
    }

    const server = await startServerProcess({ dataDir: data, startDir: temp.path })
    try {
      await openSession(server.client(V3))
    } finally {
      await server.stop()
    }
    return problems
  } finally {
    await temp.remove()
  }
}

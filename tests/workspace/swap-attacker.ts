import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { requireTool } from '../house/require-tool.ts'

/** Exchanges two names, again and again, as fast as the kernel does it, until its input ends. */
const SCRIPT = `
import ctypes, select, sys
libc = ctypes.CDLL(None, use_errno=True)
one, other = (name.encode() for name in sys.argv[1:3])
AT_FDCWD, RENAME_EXCHANGE = -100, 2
swaps = 0
print('ready', flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    for _ in range(200):
        if libc.renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) != 0:
            sys.exit('renameat2: errno %d' % ctypes.get_errno())
        swaps += 1
print(swaps, flush=True)
`

export interface SwapAttacker {
  /** How many times the names were exchanged. */
  stop(): Promise<number>
}

/** Another process, as the shell of an agent is one. */
export async function startSwapping(one: string, other: string): Promise<SwapAttacker> {
  const python = requireTool('python3', 'python3')
  const attacker: ChildProcessByStdio<Writable, Readable, null> = spawn(python, ['-c', SCRIPT, one, other], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const reader = createInterface(attacker.stdout).on('line', (line) => lines.push(line))
  const ended = once(attacker, 'close')
  await Promise.race([once(reader, 'line'), ended])
  return {
    async stop() {
      attacker.stdin.end()
      await ended
      if (attacker.exitCode !== 0) throw new Error(`the attacker ended with ${attacker.exitCode}`)
      return Number(lines.at(-1))
    },
  }
}

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { requireTool } from '../house/require-tool.ts'

/** Exchanges the two names of each pair, again and again, as fast as the kernel does it, until its input ends. */
const SCRIPT = `
import ctypes, select, sys
libc = ctypes.CDLL(None, use_errno=True)
names = [name.encode() for name in sys.argv[1:]]
AT_FDCWD, RENAME_EXCHANGE = -100, 2
swaps = 0
print('ready', flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    for _ in range(200):
        for one, other in zip(names[::2], names[1::2]):
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
export async function startSwapping(...pairs: readonly (readonly [string, string])[]): Promise<SwapAttacker> {
  const python = requireTool('python3', 'python3')
  const attacker: ChildProcessByStdio<Writable, Readable, null> = spawn(python, ['-c', SCRIPT, ...pairs.flat()], {
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

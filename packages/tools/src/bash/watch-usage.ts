// Where there are no control groups, the processes of a command are looked at from time to time.
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { CommandLimits } from './command-limits.ts'
import type { ProcessRow } from './process-table.ts'
import type { ProcessTree } from './process-tree.ts'

const LOOK_EVERY_MS = 1000
/** Linux has had no other on the machines that Node supports, but for some of 64 bits on ARM. */
const PAGE_BYTES = 4096

/** Resolves when a limit is exceeded. Never resolves once `over` is aborted. */
export async function watchUsage(
  tree: ProcessTree,
  { memoryMb, processes }: CommandLimits,
  over: AbortSignal,
): Promise<'memory-limit' | 'process-limit'> {
  for (;;) {
    await delay(LOOK_EVERY_MS, undefined, { signal: over, ref: false }).catch(() => undefined)
    if (over.aborted) return new Promise(() => {})
    const { rows } = await tree.find()
    if (rows.length > processes) return 'process-limit'
    if (rows.reduce((sum, row) => sum + memoryOf(row), 0) > memoryMb * 1024 * 1024) return 'memory-limit'
  }
}

function memoryOf({ pid }: ProcessRow): number {
  try {
    const [, resident = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
    return Number(resident) * PAGE_BYTES
  } catch {
    // It has ended meanwhile.
    return 0
  }
}

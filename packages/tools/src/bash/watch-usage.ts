// Polls the processes of a command on machines without control groups.
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { CommandLimits } from './command-limits.ts'
import type { ProcessRow } from './process-table.ts'
import type { ProcessTree } from './process-tree.ts'

const LOOK_EVERY_MS = 1000
/** The page size of Linux on the machines that Node supports, except some 64-bit ARM machines. */
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
    // The process has ended.
    return 0
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ServerProcess } from '../../support/server-process.ts'
import { readMetric } from './read-metric.ts'

const COLLECTOR = fileURLToPath(new URL('collect-on-signal.ts', import.meta.url))

/** For a server whose memory will be read. */
export const MEASURED = { NODE_OPTIONS: `--expose-gc --import=${COLLECTOR}` }

export interface Memory {
  readonly residentBytes: number
  readonly heapBytes: number
}

/** Of a server after it has collected its garbage. */
export async function readMemory(server: ServerProcess): Promise<Memory> {
  // Twice, since what the first run finalises only the second one frees.
  for (let run = 0; run < 2; run++) {
    process.kill(server.pid, 'SIGUSR2')
    await delay(200)
  }
  return {
    residentBytes: await readMetric(server, 'process_resident_memory_bytes'),
    heapBytes: await readMetric(server, 'nodejs_heap_size_used_bytes'),
  }
}

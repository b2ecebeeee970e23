import { readFileSync } from 'node:fs'

/**
 * How long a process was ready to run and had to wait for a core, in all. On a machine that is busy with other things,
 * this is what those cost it. 0 where the system does not tell.
 */
export function cpuWaitMs(pid: number): number {
  try {
    // Time on a core, time waiting for one (both in nanoseconds), turns.
    const [, waited = ''] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')
    return Number(waited) / 1e6
  } catch {
    return 0
  }
}

import { readFile, readdir, readlink } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

const LOOK_EVERY_MS = 10
const GIVE_UP_MS = 20_000
/** What a tree may take to die after it was told to. */
export const DEAD_WITHIN_MS = 2000
/** The same where other tests run beside. */
export const DEAD_ON_A_BUSY_MACHINE_MS = 2 * DEAD_WITHIN_MS

export interface FoundProcess {
  readonly pid: string
  readonly commandLine: string
  readonly isStopped: boolean
}

/** The living processes with this text in their arguments or directory: found by another way than the product's. */
export async function findProcesses(marker: string): Promise<readonly FoundProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const found = await Promise.all(
    pids.map(async (pid) => {
      const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      const directory = await readlink(`/proc/${pid}/cwd`).catch(() => '')
      if (!commandLine.includes(marker) && !directory.includes(marker)) return []
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
      const isAlive = stat !== '' && !/\) [ZX] /.test(stat)
      return isAlive ? [{ pid, commandLine: commandLine.replaceAll('\0', ' '), isStopped: /\) T /.test(stat) }] : []
    }),
  )
  return found.flat()
}

/** Once there are so many. */
export async function processesNaming(marker: string, { atLeast }: { readonly atLeast: number }): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS
  for (;;) {
    if ((await findProcesses(marker)).length >= atLeast) return
    if (performance.now() > giveUpAt) throw new Error(`there never were ${atLeast} processes with ${marker}`)
    await delay(LOOK_EVERY_MS)
  }
}

/** How long it took until there was none left; it throws and names them when it takes too long. */
export async function untilGone(marker: string, withinMs: number = DEAD_ON_A_BUSY_MACHINE_MS): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const left = await findProcesses(marker)
    const tookMs = performance.now() - startedAt
    if (left.length === 0) return tookMs
    if (tookMs > withinMs) {
      const names = left.map(({ pid, commandLine }) => `${pid} ${commandLine.slice(0, 80)}`)
      throw new Error(`still there after ${Math.round(tookMs)} ms: ${names.join('; ')}`)
    }
    await delay(LOOK_EVERY_MS)
  }
}

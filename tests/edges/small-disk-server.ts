import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createTempDir } from '../support/temp-dir.ts'

const PROGRAM = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url))

/** Whether this machine lets us mount a small disk that only one process sees. */
export const hasSmallDisks = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0

const SMALL_DISK = ['unshare', '-rm', 'sh', '-c', 'mount -t tmpfs -o size=4m tmpfs "$0" && exec "$@"']
/** Where no disk can be mounted: no file may grow beyond 256 KiB, which SQLite takes for an I/O error. */
const SMALL_FILES = ['sh', '-c', 'ulimit -f 512 && exec "$@"']

/** The real program on a disk of four mebibytes, or else with files that cannot grow. */
export interface SmallDiskServer {
  readonly url: string
  readonly key: string
  readonly log: string
  fillDisk(): void
  makeRoom(): void
  stop(): Promise<void>
}

export async function startOnSmallDisk(): Promise<SmallDiskServer> {
  const dir = await createTempDir()
  const [command = '', ...through] = hasSmallDisks ? SMALL_DISK : SMALL_FILES
  const serve = [PROGRAM, 'serve', '--port', '0', '--json', '--scripted', '--data', join(dir.path, 'data')]
  const child = spawn(command, [...through, dir.path, process.execPath, ...serve], {
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text))
  const exited = once(child, 'exit')
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(() => Promise.reject(new Error(`it did not start: ${log}`))),
  ])) as [string]
  const { url, key, pid } = JSON.parse(line) as { url: string; key: string; pid: number }
  // The disk as the server sees it; from out here there is only an empty folder.
  const filler = join(`/proc/${pid}/root`, dir.path, 'filler')
  return {
    url,
    key,
    get log() {
      return log
    },
    fillDisk() {
      const file = openSync(filler, 'w')
      try {
        for (;;) writeSync(file, Buffer.alloc(4096))
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      } finally {
        closeSync(file)
      }
    },
    makeRoom: () => rmSync(filler),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await exited
      await dir.remove()
    },
  }
}

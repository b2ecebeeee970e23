import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { sweepLeftovers } from '@polylogue/tools'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { findProcesses, untilGone } from '../tools/processes.ts'

let folder: TempDir
let marker: string
let host: ChildProcess

beforeEach(async () => {
  folder = await createTempDir()
  marker = `mcp-${randomBytes(8).toString('hex')}`
})
afterEach(async () => {
  if (host.exitCode === null && host.signalCode === null) host.kill('SIGKILL')
  await sweepLeftovers(folder.path)
  await folder.remove()
})

async function startHost(end: string, fault: string): Promise<void> {
  const program = join(import.meta.dirname, 'host.ts')
  host = spawn(process.execPath, [program, end, fault, marker, folder.path], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = (await once(host.stdout ?? host, 'data')) as [Buffer]
  expect(line.toString()).toBe('ready\n')
}

/** Without the host, which has the text in its arguments too. */
const servers = async () => (await findProcesses(marker)).filter(({ commandLine }) => !commandLine.includes('host.ts'))

it.each(['exit', 'throw'])('a host that ends by %s takes its servers with it', async (end) => {
  await startHost(end, 'deaf')
  if (host.exitCode === null) await once(host, 'exit')
  await untilGone(marker)
})

it('a server whose host is killed sees the end of its input and exits', async () => {
  await startHost('wait', 'well')
  expect(await servers()).toHaveLength(1)
  host.kill('SIGKILL')
  await untilGone(marker)
})

it('a stubborn server of a killed host is ended at the next start', async () => {
  await startHost('wait', 'stubborn')
  host.kill('SIGKILL')
  await once(host, 'exit')
  expect(await servers()).toHaveLength(2)
  expect(await sweepLeftovers(folder.path)).toEqual({ calls: 1, killed: 2 })
  expect(await servers()).toEqual([])
  expect(await sweepLeftovers(folder.path)).toEqual({ calls: 0, killed: 0 })
})

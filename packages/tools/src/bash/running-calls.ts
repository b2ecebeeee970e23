// While a call runs, `<stateDir>/running` contains a file named after its marker. A killed server leaves these files
// and perhaps the processes behind. The next server looks for exactly these processes.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sweepPlaceholders } from '../sandbox/placeholders.ts'
import { removeCgroup } from './command-cgroup.ts'
import { createProcessTree, stopTree } from './process-tree.ts'

const MARKER = /^[0-9a-f]{32}$/
const SWEEP_MS = 2000

export async function noteRunning(stateDir: string, marker: string): Promise<void> {
  await mkdir(folderOf(stateDir), { recursive: true, mode: 0o700 })
  await writeFile(join(folderOf(stateDir), marker), '', { mode: 0o600, flag: 'wx' })
}

export async function forgetRunning(stateDir: string, marker: string): Promise<void> {
  await rm(join(folderOf(stateDir), marker), { force: true })
}

export interface Sweep {
  /** Calls that a previous server left running. */
  readonly calls: number
  /** Processes of these calls that were found and killed. */
  readonly killed: number
}

/** Ends the processes that a previous server left behind. Call it once at start, before any call. */
export async function sweepLeftovers(stateDir: string): Promise<Sweep> {
  let killed = 0
  const markers = await listMarkers(stateDir)
  for (const marker of markers) {
    const tree = createProcessTree({ marker })
    killed += (await tree.find()).rows.length
    await stopTree(tree, { askMs: 0, killMs: SWEEP_MS })
    removeCgroup(marker)
    await forgetRunning(stateDir, marker)
  }
  sweepPlaceholders(stateDir)
  await rm(join(stateDir, 'terminals'), { recursive: true, force: true })
  return { calls: markers.length, killed }
}

async function listMarkers(stateDir: string): Promise<readonly string[]> {
  try {
    return (await readdir(folderOf(stateDir))).filter((name) => MARKER.test(name))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

function folderOf(stateDir: string): string {
  return join(stateDir, 'running')
}

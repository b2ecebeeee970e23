// A control group for each command, if the machine allows it. It limits the memory and the number of all processes of
// the command together. Version 1 has one tree per controller, version 2 a single tree.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { CommandLimits } from './command-limits.ts'

export interface CommandCgroup {
  /** Folders of the group. The first process must write its pid to a file in each. */
  readonly folders: readonly string[]
  usage(): CgroupUsage
  /** Call it when all processes have ended. */
  remove(): Promise<void>
}

export interface CgroupUsage {
  readonly isOutOfMemory: boolean
  readonly isOutOfProcesses: boolean
}

interface CgroupTree {
  readonly folder: string
  settingsFor(limits: CommandLimits): Readonly<Record<string, string>>
  /** Files that count how often a limit was reached, and the name of the line. */
  readonly memoryEvents?: string
  readonly processEvents?: string
}

const ROOT = '/sys/fs/cgroup'
const bytesOf = ({ memoryMb }: CommandLimits): string => String(memoryMb * 1024 * 1024)

let found: readonly CgroupTree[] | undefined

/** `undefined` if no control group can be created. */
export function createCommandCgroup(marker: string, limits: CommandLimits): CommandCgroup | undefined {
  found ??= findTrees()
  if (found.length === 0) return undefined
  const made = found.map((tree) => ({ tree, folder: join(tree.folder, nameOf(marker)) }))
  const folders = made.map(({ folder }) => folder)
  try {
    for (const { tree, folder } of made) {
      mkdirSync(folder)
      for (const [file, value] of Object.entries(tree.settingsFor(limits))) writeFileSync(join(folder, file), value)
    }
  } catch (error) {
    if (!isSystemError(error)) throw error
    found = []
    for (const folder of folders) removeFolder(folder)
    return undefined
  }
  const count = (file: 'memoryEvents' | 'processEvents', line: string): number =>
    Math.max(0, ...made.map(({ tree, folder }) => readCount(tree[file] && join(folder, tree[file]), line)))
  return {
    folders,
    usage: () => ({
      isOutOfMemory: count('memoryEvents', 'oom_kill') > 0,
      isOutOfProcesses: count('processEvents', 'max') > 0,
    }),
    async remove() {
      // The kernel needs a moment to release the last process.
      for (const pauseMs of [0, 5, 20, 100, 500]) {
        await delay(pauseMs)
        if (folders.filter((folder) => !removeFolder(folder)).length === 0) return
      }
    },
  }
}

/** Removes the control groups that a killed server left behind. */
export function removeCgroup(marker: string): void {
  found ??= findTrees()
  for (const { folder } of found) removeFolder(join(folder, nameOf(marker)))
}

const nameOf = (marker: string): string => `polylogue-${marker}`

function findTrees(): readonly CgroupTree[] {
  if (process.platform !== 'linux') return []
  const lines = readText('/proc/self/cgroup').split('\n')
  const pathOf = (controller: string): string | undefined =>
    lines.find((line) => line.split(':')[1]?.split(',').includes(controller))?.split(':')[2]
  const memory = pathOf('memory')
  const processes = pathOf('pids')
  const trees = memory !== undefined && processes !== undefined ? versionOne(memory, processes) : versionTwo(lines)
  return trees.every(({ folder }) => canMakeIn(folder)) ? trees : []
}

function versionOne(memory: string, processes: string): readonly CgroupTree[] {
  return [
    {
      folder: join(ROOT, 'memory', memory),
      settingsFor: (limits) => ({ 'memory.limit_in_bytes': bytesOf(limits) }),
      memoryEvents: 'memory.oom_control',
    },
    {
      folder: join(ROOT, 'pids', processes),
      settingsFor: (limits) => ({ 'pids.max': String(limits.processes) }),
      processEvents: 'pids.events',
    },
  ]
}

/** Works only if the controllers are delegated to this process. */
function versionTwo(lines: readonly string[]): readonly CgroupTree[] {
  const own = lines.find((line) => line.startsWith('0::'))?.slice('0::'.length)
  if (own === undefined) return []
  const folder = join(ROOT, own)
  const controllers = readText(join(folder, 'cgroup.subtree_control')).trim().split(' ')
  if (!controllers.includes('memory') || !controllers.includes('pids')) return []
  return [
    {
      folder,
      settingsFor: (limits) => ({ 'memory.max': bytesOf(limits), 'pids.max': String(limits.processes) }),
      memoryEvents: 'memory.events',
      processEvents: 'pids.events',
    },
  ]
}

function canMakeIn(folder: string): boolean {
  if (!existsSync(folder)) return false
  const probe = join(folder, `polylogue-probe-${process.pid}`)
  try {
    mkdirSync(probe)
    return removeFolder(probe)
  } catch (error) {
    if (!isSystemError(error)) throw error
    return false
  }
}

function removeFolder(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    if (!isSystemError(error)) throw error
    return error.code === 'ENOENT'
  }
}

function readCount(path: string | undefined, name: string): number {
  const line = readText(path ?? '')
    .split('\n')
    .find((one) => one.startsWith(`${name} `))
  return Number(line?.split(' ')[1] ?? 0)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (!isSystemError(error)) throw error
    return ''
  }
}

const isSystemError = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'

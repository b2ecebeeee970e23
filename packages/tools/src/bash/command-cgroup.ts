// A control group for each command, where the machine lets us make one: then its memory and its processes are counted
// together, whatever it starts. Version 1 has a tree for each controller, version 2 one for all.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { CommandLimits } from './command-limits.ts'

export interface CommandCgroup {
  /** Where its first process must write its number. */
  readonly folders: readonly string[]
  usage(): CgroupUsage
  /** When all its processes have ended. */
  remove(): Promise<void>
}

export interface CgroupUsage {
  readonly isOutOfMemory: boolean
  readonly isOutOfProcesses: boolean
}

interface CgroupTree {
  readonly folder: string
  settingsFor(limits: CommandLimits): Readonly<Record<string, string>>
  /** Files that count how often a limit was reached, and the line that does. */
  readonly memoryEvents?: string
  readonly processEvents?: string
}

const ROOT = '/sys/fs/cgroup'
const bytesOf = ({ memoryMb }: CommandLimits): string => String(memoryMb * 1024 * 1024)

let found: readonly CgroupTree[] | undefined

/** `undefined` where no control group can be made. */
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
      // The kernel takes a moment to let the last process go.
      for (const pauseMs of [0, 5, 20, 100, 500]) {
        await delay(pauseMs)
        if (folders.filter((folder) => !removeFolder(folder)).length === 0) return
      }
    },
  }
}

/** What a server that was killed has left. */
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

/** Only where somebody has handed the controllers down to us. */
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

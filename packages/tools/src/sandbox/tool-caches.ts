// Caches of package managers and compilers. Each user has one folder for each workspace. Sandboxed commands see it as
// `~/.cache`, so what one command downloads the next one finds, and no other workspace sees it.
import { createHash } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { chmod, lstat, mkdir, readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

export interface ToolCache {
  /** The folder on the machine. */
  readonly folder: string
  /** Call it after the command has ended. */
  giveBack(): Promise<void>
}

export interface ToolCaches {
  take(owner: { readonly userId: string; readonly workspace: string }): Promise<ToolCache>
}

export interface ToolCachesOptions {
  readonly folder: string
  /** A cache that is larger after a command is deleted. */
  readonly mostBytes: number
  /** How many workspaces keep one. The one that was unused longest is deleted first. Default 32. */
  readonly mostCaches?: number
  /** How long until a cache is measured again. Default: five minutes. */
  readonly measureMs?: number
}

export const DEFAULT_CACHE_MB = 4096

const MOST_CACHES = 32
const MEASURE_MS = 5 * 60_000

export function createToolCaches(options: ToolCachesOptions): ToolCaches {
  const { folder: base, mostBytes, mostCaches = MOST_CACHES, measureMs = MEASURE_MS } = options
  const users = new Map<string, number>()
  const measuredAt = new Map<string, number>()

  const isUsed = (folder: string): boolean => (users.get(folder) ?? 0) > 0

  async function bound(folder: string): Promise<void> {
    const now = Date.now()
    if (isUsed(folder) || now - (measuredAt.get(folder) ?? 0) < measureMs) return
    measuredAt.set(folder, now)
    if ((await sizeOf(folder, mostBytes)) > mostBytes && !isUsed(folder)) await removeTree(folder)
    await removeOldest()
  }

  async function removeOldest(): Promise<void> {
    const caches = await listCaches(base)
    const old = caches.toSorted((a, b) => b.usedAt - a.usedAt).slice(mostCaches)
    for (const { path } of old) if (!isUsed(path)) await removeTree(path)
  }

  return {
    async take({ userId, workspace }) {
      const folder = join(folderOf(base, workspace), digest(userId))
      users.set(folder, (users.get(folder) ?? 0) + 1)
      const giveBack = async (): Promise<void> => {
        users.set(folder, (users.get(folder) ?? 1) - 1)
        await bound(folder)
      }
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const now = new Date()
        await utimes(folder, now, now)
      } catch (error) {
        await giveBack()
        throw error
      }
      return { folder, giveBack }
    },
  }
}

/** Deletes the caches of all users for a workspace that is gone. */
export async function removeToolCaches(base: string, workspace: string): Promise<void> {
  await removeTree(folderOf(base, workspace))
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)
const folderOf = (base: string, workspace: string): string => join(base, digest(workspace))

interface KnownCache {
  readonly path: string
  readonly usedAt: number
}

async function listCaches(base: string): Promise<readonly KnownCache[]> {
  const found: KnownCache[] = []
  for (const workspace of await entriesOf(base)) {
    for (const { name } of await entriesOf(join(base, workspace.name))) {
      const path = join(base, workspace.name, name)
      const usedAt = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      )
      found.push({ path, usedAt })
    }
  }
  return found
}

/** Stops when it is more than `enough`. Links are not followed. */
async function sizeOf(folder: string, enough: number): Promise<number> {
  let bytes = 0
  const left = [folder]
  for (let next = left.pop(); next !== undefined && bytes <= enough; next = left.pop()) {
    for (const entry of await entriesOf(next)) {
      const path = join(next, entry.name)
      if (entry.isDirectory()) left.push(path)
      else
        bytes += await lstat(path).then(
          ({ size }) => size,
          () => 0,
        )
    }
  }
  return bytes
}

/** A command may have taken the rights to its own folders away. */
async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
  } catch {
    await openFolders(path)
    await rm(path, { recursive: true, force: true })
  }
}

async function openFolders(folder: string): Promise<void> {
  await chmod(folder, 0o700)
  for (const entry of await entriesOf(folder)) if (entry.isDirectory()) await openFolders(join(folder, entry.name))
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => [])
}

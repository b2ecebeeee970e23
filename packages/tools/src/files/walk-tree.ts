// Lists the files below an open directory. Each directory is opened from its parent. Links are not followed, so a walk
// neither leaves the workspace nor loops. Files that Git ignores, `.git` and `node_modules` are skipped.
import type { Dirent } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Confines } from './confines.ts'
import { below, openDirectory, type Directory } from './directory.ts'
import { codeOf } from './file-problem.ts'
import { isIgnored, parseIgnoreFile, type IgnoreRules } from './gitignore.ts'
import { readEntries } from './list-directory.ts'
import { openFileIn, readBytes } from './read-regular-file.ts'
import type { SearchBudget } from './search-limits.ts'

/** Its directory is open until the next one is asked for. */
export interface DirectoryFiles {
  readonly directory: Directory
  /** The path to it from the start. */
  readonly way: readonly string[]
  readonly files: readonly string[]
}

export interface TreeOptions {
  readonly confines: Confines
  readonly budget: SearchBudget
  readonly signal: AbortSignal
  /** The ignore rules of the directories above the start. */
  readonly ignored?: IgnoreRules
  /** The path parts from the top of `ignored` to the start. */
  readonly before: readonly string[]
}

const DEEPEST = 100
const LARGEST_IGNORE_FILE = 256 * 1024
const LONGEST_RUN_MS = 10
const LEFT_OUT = new Set(['.git', 'node_modules'])

interface Frame {
  readonly directory: Directory
  readonly way: readonly string[]
  /** The directories to visit, the next one last. */
  directories: string[]
  ignored: IgnoreRules | undefined
}

/** The caller closes the start. */
export async function* walkTree(start: Directory, options: TreeOptions): AsyncGenerator<DirectoryFiles> {
  const frames: Frame[] = []
  const visit = async (
    directory: Directory,
    way: readonly string[],
    ignored?: IgnoreRules,
  ): Promise<DirectoryFiles> => {
    const frame: Frame = { directory, way, directories: [], ignored }
    frames.push(frame)
    const { files, directories, rules } = await sortEntries(frame, options)
    frame.directories = directories.toReversed()
    frame.ignored = rules
    return { directory, way, files }
  }
  try {
    yield await visit(start, [], options.ignored)
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      options.signal.throwIfAborted()
      if (options.budget.over() !== undefined) return
      const name = frame.directories.pop()
      const directory = name === undefined ? undefined : await tryToOpen(frame.directory, name, options.confines)
      if (name === undefined) {
        frames.pop()
        if (frame.directory !== start) await frame.directory.handle.close()
      } else if (directory) yield await visit(directory, [...frame.way, name], frame.ignored)
    }
  } finally {
    for (const { directory } of frames) if (directory !== start) await directory.handle.close()
  }
}

/** The rules of a directory's `.gitignore`, on top of those above it. */
export async function readIgnoreRules(
  directory: Directory,
  depth: number,
  above: IgnoreRules | undefined,
): Promise<IgnoreRules | undefined> {
  try {
    const { bytes } = await openFileIn(directory, '.gitignore', (file) => readBytes(file, LARGEST_IGNORE_FILE))
    return parseIgnoreFile(bytes.toString('utf8'), { depth, ...(above && { above }) })
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return above
  }
}

async function sortEntries(
  { directory, way, ignored }: Frame,
  { confines, budget, before, signal }: TreeOptions,
): Promise<{ files: string[]; directories: string[]; rules: IgnoreRules | undefined }> {
  const files: string[] = []
  const directories: string[] = []
  const { entries } = await readEntries(directory, budget.limits.entries)
  const hasRules = entries.some(({ name }) => name === '.gitignore')
  const rules = hasRules ? await readIgnoreRules(directory, before.length + way.length, ignored) : ignored
  const pause = createPause()
  for (const entry of entries) {
    await pause()
    signal.throwIfAborted()
    if (budget.over() !== undefined) break
    const { name } = entry
    const kind = await kindOf(directory, entry)
    const isDirectory = kind === 'directory'
    if (kind === undefined || LEFT_OUT.has(name) || !isSeen(join(directory.path, name), confines)) continue
    if (isIgnored(rules, [...before, ...way, name], { isDirectory })) continue
    if (!isDirectory) files.push(name)
    else if (way.length < DEEPEST) directories.push(name)
  }
  budget.spend({ entries: entries.length })
  return { files: confines.isHidden(directory.path) ? [] : files, directories, rules }
}

/** Lets others work after every few milliseconds: each name is compared with each rule of a repository's `.gitignore`. */
function createPause(): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < LONGEST_RUN_MS) return undefined
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now()
        resolve()
      }),
    )
  }
}

function isSeen(path: string, confines: Confines): boolean {
  return confines.isPassable(path) && confines.isOpen(path, 'read')
}

async function kindOf(directory: Directory, entry: Dirent): Promise<'file' | 'directory' | undefined> {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  if (entry.isSymbolicLink() || entry.isFIFO() || entry.isSocket()) return undefined
  if (entry.isCharacterDevice() || entry.isBlockDevice()) return undefined
  // Some file systems do not report the type in a listing.
  try {
    const stats = await lstat(below(directory, entry.name))
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : undefined
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}

/** Skips what was swapped or removed meanwhile, or is not readable. */
async function tryToOpen(parent: Directory, name: string, confines: Confines): Promise<Directory | undefined> {
  let directory: Directory
  try {
    directory = await openDirectory(parent, name)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
  const stats = await directory.handle.stat({ bigint: true })
  if (!confines.isHiddenTwin(directory.path, stats)) return directory
  await directory.handle.close()
  return undefined
}

// Hard links: a file has an identity and any number of names, so a protected file can be read under a name that is not
// protected. Only a file with several names can be such a twin.
import { type BigIntStats, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ProtectedEntry } from './protected-set.ts'

/** As `lstat` reports it with `bigint`. */
export interface FileIdentity {
  readonly dev: bigint
  readonly ino: bigint
  readonly nlink: bigint
  isFile(): boolean
}

export type TwinFinder = (path: string, stats: FileIdentity) => ProtectedEntry | undefined

/** Whether one of these files has another name, which can lie in any workspace. */
export const haveTwin = (entries: readonly ProtectedEntry[]): boolean =>
  [...filesByIdentity(entries).values()].some(({ path }) => (statOf(path)?.nlink ?? 1n) > 1n)

/** Looks at the protected files when it is first asked about a file with several names. */
export function createTwinFinder(entries: readonly ProtectedEntry[]): TwinFinder {
  let files: ReadonlyMap<string, ProtectedEntry> | undefined
  return (path, stats) => {
    if (stats.nlink < 2n || !stats.isFile()) return undefined
    files ??= filesByIdentity(entries)
    const twin = files.get(identityOf(stats))
    return twin?.path === path ? undefined : twin
  }
}

const identityOf = ({ dev, ino }: FileIdentity): string => `${dev}:${ino}`
const MOST_FILES = 1_000

/** The protected files, and those that lie in a protected folder itself. */
function filesByIdentity(entries: readonly ProtectedEntry[]): ReadonlyMap<string, ProtectedEntry> {
  const found = new Map<string, ProtectedEntry>()
  const add = (entry: ProtectedEntry): void => {
    const stats = statOf(entry.path)
    const known = stats && found.get(identityOf(stats))
    if (stats?.isFile() === true && known?.grade !== 'secret') found.set(identityOf(stats), entry)
  }
  for (const entry of entries) {
    if (statOf(entry.path)?.isDirectory() !== true) add(entry)
    else for (const name of namesIn(entry.path).slice(0, MOST_FILES)) add({ ...entry, path: join(entry.path, name) })
  }
  return found
}

/** `undefined` also for what cannot be looked at. */
export const statOf = (path: string): BigIntStats | undefined =>
  orNothing(() => lstatSync(path, { throwIfNoEntry: false, bigint: true }), undefined)

const namesIn = (folder: string): readonly string[] => orNothing(() => readdirSync(folder), [])

/** What cannot be read has no content to protect from here. */
function orNothing<Result>(look: () => Result, nothing: Result): Result {
  try {
    return look()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return nothing
  }
}

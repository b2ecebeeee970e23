// Git follows links inside of a repository, and an index may name any path. So a repository can show files that lie
// somewhere else: those of another repository, or of the machine. A sandbox does not contain them.
import { type Dirent, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { hasForeignPath } from './index-paths.ts'
import { type RepositoryPlaces, lstatOf } from './repository-places.ts'

/** Both are read at once, so they are limited. */
const LARGEST_INDEX = 8 * 1024 * 1024
const MOST_ENTRIES = 30_000

const LINKED_FOLDERS = ['objects', 'refs']
const OBJECT_NAME_BYTES = { sha1: 20, sha256: 32 }

/** Whether reading the repository could show what lies outside of it. Also `true` if it is too large to tell. */
export function reachesOutside({ own, common }: RepositoryPlaces, format: keyof typeof OBJECT_NAME_BYTES): boolean {
  const config = lstatOf(join(common, 'config'))
  // A hard link shows another file under this name.
  if (config === undefined || config.nlink > 1) return true
  if (lstatOf(join(common, 'packed-refs'))?.isSymbolicLink() === true) return true
  const folders = [...LINKED_FOLDERS.map((name) => join(common, name)), join(own, 'logs')]
  if (holdsLink(folders)) return true
  const indexes = ['index', ...sharedIndexes(own)].map((name) => join(own, name))
  return indexes.some((path) => isForeignIndex(path, OBJECT_NAME_BYTES[format]))
}

/** The parts of a split index. */
export function sharedIndexes(own: string): readonly string[] {
  return readdirSync(own).filter((name) => /^sharedindex\.[0-9a-f]+$/.test(name))
}

function isForeignIndex(path: string, objectNameBytes: number): boolean {
  const stats = lstatOf(path)
  if (stats === undefined) return false
  return !stats.isFile() || stats.size > LARGEST_INDEX || hasForeignPath(readFileSync(path), objectNameBytes)
}

function holdsLink(folders: readonly string[]): boolean {
  const left = [...folders]
  let seen = 0
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    for (const entry of entriesOf(folder)) {
      seen += 1
      if (entry.isSymbolicLink() || seen > MOST_ENTRIES) return true
      if (entry.isDirectory()) left.push(join(folder, entry.name))
    }
  }
  return false
}

function entriesOf(folder: string): readonly Dirent[] {
  return lstatOf(folder)?.isDirectory() === true ? readdirSync(folder, { withFileTypes: true }) : []
}

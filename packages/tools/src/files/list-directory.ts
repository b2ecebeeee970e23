import type { Dirent } from 'node:fs'
import { opendir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { showName } from './asked-path.ts'
import type { Confines } from './confines.ts'
import { below, listingPath, type Directory } from './directory.ts'
import { codeOf } from './file-problem.ts'

const MOST_ENTRIES = 1000

/** A line for each entry, sorted by name: `name`, `directory/`, `link -> where`. */
export async function listDirectory(directory: Directory, confines: Confines): Promise<string> {
  const { entries, isCut } = await readEntries(directory, MOST_ENTRIES)
  const seen = entries.filter(({ name }) => !confines.isHidden(join(directory.path, name)))
  if (seen.length === 0) return 'The directory is empty.'
  const lines = await Promise.all(seen.map((entry) => describeEntry(directory, entry)))
  return [...lines, ...(isCut ? [`[There are more than ${MOST_ENTRIES} entries.]`] : [])].join('\n')
}

/** The first entries by name, up to the limit. */
export async function readEntries(
  directory: Directory,
  most: number,
): Promise<{ readonly entries: readonly Dirent[]; readonly isCut: boolean }> {
  const entries: Dirent[] = []
  let isCut = false
  for await (const entry of await opendir(listingPath(directory))) {
    isCut = entries.length === most
    if (isCut) break
    entries.push(entry)
  }
  return { entries: entries.sort((one, other) => (one.name < other.name ? -1 : 1)), isCut }
}

async function describeEntry(directory: Directory, entry: Dirent): Promise<string> {
  if (entry.isDirectory()) return `${showName(entry.name)}/`
  if (!entry.isSymbolicLink()) return showName(entry.name)
  try {
    return `${showName(entry.name)} -> ${showName(await readlink(below(directory, entry.name)))}`
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return showName(entry.name)
  }
}

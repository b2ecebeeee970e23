import { existsSync, readdirSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, rmdir, statfs } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { notePlace } from '../data-dir.ts'
import { replaceBy } from '../platform/host.ts'
import { EXIT_FAILURE, ServeError } from '../serve-error.ts'
import { DATABASE_NAME, KEY_NAMES, WORKSPACES_NAME } from './archive-names.ts'
import { checkCopy, type CopyCensus } from './check-copy.ts'

export interface RestoreOptions {
  /** Must not be there yet, or be empty. */
  readonly dataDir: string
  readonly startDir: string
  readonly file: string
}

/** Makes a data directory of an archive. Nothing is in its place before all of it has been read and checked. */
export async function restore(options: RestoreOptions): Promise<CopyCensus> {
  const { dataDir, startDir } = options
  const file = resolve(startDir, options.file)
  if (!existsSync(file)) throw new ServeError(`There is no file ${file}.`, EXIT_FAILURE)
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new ServeError(`${dataDir} is not empty. Name a new directory with --data.`, EXIT_FAILURE)
  }
  await mkdir(dirname(dataDir), { recursive: true })
  const aside = await mkdtemp(join(dirname(dataDir), `.${basename(dataDir)}-`))
  try {
    await unpack(file, aside)
    const census = await checkCopy(aside)
    await chmod(aside, 0o700)
    for (const name of KEY_NAMES) if (existsSync(join(aside, name))) await chmod(join(aside, name), 0o600)
    await chmod(join(aside, DATABASE_NAME), 0o600)
    if (existsSync(dataDir)) await rmdir(dataDir)
    notePlace(aside)
    replaceBy(aside, dataDir)
    return census
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

async function unpack(file: string, folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  let freeBytes = bavail * bsize
  const filter = (path: string, entry: object): boolean => {
    if (!isKnown(path, 'type' in entry ? entry.type : undefined)) return false
    freeBytes -= 'size' in entry ? Number(entry.size) : 0
    return freeBytes > 0
  }
  const { extract } = await import('tar')
  try {
    // An archive may come from anywhere: nothing leads outside, belongs to another user or runs as one.
    await extract({ file, cwd: folder, strict: true, preserveOwner: false, noChmod: true, filter })
  } catch (error) {
    throw new ServeError(`${file} is not a whole archive of polylogue backup.`, EXIT_FAILURE, { cause: error })
  }
  if (freeBytes <= 0) throw new ServeError(`${file} holds more than the disk of ${folder} has room for.`, EXIT_FAILURE)
  if (existsSync(join(folder, DATABASE_NAME))) return
  throw new ServeError(`${file} is not an archive of polylogue backup.`, EXIT_FAILURE)
}

/** The database and the keys are files, never links: the server opens and changes them by name. */
function isKnown(path: string, type: unknown): boolean {
  const name = path.replace(/(?<!\/)\/+$/, '')
  if (name === WORKSPACES_NAME) return type === 'Directory'
  if (path.startsWith(`${WORKSPACES_NAME}/`)) return true
  return [DATABASE_NAME, ...KEY_NAMES].some((known) => known === name) && type === 'File'
}

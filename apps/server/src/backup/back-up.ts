import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { replaceBy } from '../platform/host.ts'
import { systemClock } from '../platform/system-clock.ts'
import { EXIT_FAILURE, ServeError } from '../serve-error.ts'
import { findStorage, parseDatabase } from '../stores.ts'
import { DATABASE_NAME, KEY_NAMES, WORKSPACES_NAME } from './archive-names.ts'
import { checkCopy, type CopyCensus } from './check-copy.ts'

export interface BackUpOptions {
  readonly dataDir: string
  readonly startDir: string
  /** Where the files of sessions are. Default: the data directory. */
  readonly workspaces?: string
  readonly database?: string
  /** The archive to write. It must not be there yet. */
  readonly file: string
  /** Leaves out the files that sessions work on. */
  readonly withoutWorkspaces: boolean
}

export interface BackedUp extends CopyCensus {
  readonly file: string
  readonly bytes: number
}

/**
 * Writes one archive of everything that a data directory must not lose, while a server may be running. The copy of the
 * database is checked as `doctor` checks one, before the archive gets its name.
 */
export async function backUp(options: BackUpOptions): Promise<BackedUp> {
  const { dataDir, startDir, withoutWorkspaces } = options
  const filesDir = options.workspaces === undefined ? dataDir : resolve(startDir, options.workspaces)
  const file = resolve(startDir, options.file)
  if (existsSync(file)) throw new ServeError(`${file} is there already. Choose another name.`, EXIT_FAILURE)
  const copyDatabase = await findCopier(options)
  await mkdir(dirname(file), { recursive: true })
  const aside = await mkdtemp(join(dirname(file), `.${basename(file)}-`))
  try {
    await copyDatabase(join(aside, DATABASE_NAME))
    const census = await checkCopy(aside)
    // Keys after the database: a key that it needs is there by then.
    const keys = KEY_NAMES.filter((name) => existsSync(join(dataDir, name)))
    for (const name of keys) await copyFile(join(dataDir, name), join(aside, name))
    const { create } = await import('tar')
    const copies = join(aside, 'copies.tar')
    await create({ file: copies, cwd: aside }, [DATABASE_NAME, ...keys])
    const hasWorkspaces = !withoutWorkspaces && existsSync(join(filesDir, WORKSPACES_NAME))
    const archive = join(aside, 'archive')
    await create({ file: archive, gzip: true, cwd: hasWorkspaces ? filesDir : aside }, [
      `@${copies}`,
      ...(hasWorkspaces ? [WORKSPACES_NAME] : []),
    ])
    await chmod(archive, 0o600)
    replaceBy(archive, file)
    return { file, ...census, bytes: (await stat(file)).size }
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

async function findCopier({ dataDir, startDir, database }: BackUpOptions): Promise<(file: string) => Promise<void>> {
  const storage = await findStorage(parseDatabase(database, { dataDir, startDir }), { clock: systemClock })
  const { copyTo } = storage
  if (copyTo === undefined) {
    throw new ServeError('This database is on a server. Back it up with the tools of that server.', EXIT_FAILURE)
  }
  if ((await storage.describe()).exists) return (file) => copyTo(file)
  const advice =
    'Name another directory with --data. A database on a server is backed up with the tools of that server.'
  throw new ServeError(`There is no database in ${dataDir}. ${advice}`, EXIT_FAILURE)
}

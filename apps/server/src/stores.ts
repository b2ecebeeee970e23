// The only file of the server that names a store. A new store is a package of its own and a scheme here.
import { StorageFault, type Clock, type Storage, type Stores } from '@polylogue/engine'
import { acquireOwnerLock, createSqliteStorage, openOwnedStores, type OwnerLock } from '@polylogue/store-sqlite'
import { join, resolve } from 'node:path'
import { isDecodable } from './platform/is-decodable.ts'
import { EXIT_CONFIG, EXIT_FAILURE, ServeError } from './serve-error.ts'

export interface StoresOptions {
  readonly clock: Clock
  /** The database itself, if a pooler answers at its URL. */
  readonly directUrl?: string
}

const FORMS = 'sqlite:FILE or postgres://USER@HOST/DATABASE'

export interface DatabasePlace {
  readonly dataDir: string
  readonly startDir: string
  /** The flag that names it. Default: `--database`. */
  readonly flag?: string
}

/** Turns `--database` into an absolute URL; without one, it is a file in the data directory. */
export function parseDatabase(database: string | undefined, dirs: DatabasePlace): string {
  const { flag = '--database' } = dirs
  if (database === undefined) return `sqlite:${join(dirs.dataDir, 'polylogue.db')}`
  const file = sqliteFileOf(database)
  if (file !== undefined) return `sqlite:${resolve(dirs.startDir, file)}`
  if (isPostgres(database)) return withKnownMode(database, flag)
  // A database URL may hold a password, so no message repeats it.
  throw new ServeError(`${flag} must be ${FORMS}.${hintFor(database)}`, EXIT_CONFIG)
}

const hintFor = (database: string): string => (database.startsWith('postgres') ? ` ${ESCAPES}` : '')
const ESCAPES =
  'In a user or password, write % as %25, / as %2F, # as %23 and ? as %3F. A port is a number up to 65535.'

/** Turns `--database-direct` into a URL. */
export function parseDirectDatabase(database: string): string {
  if (isPostgres(database)) return withKnownMode(database, '--database-direct')
  throw new ServeError(`--database-direct must be postgres://USER@HOST/DATABASE.${hintFor(database)}`, EXIT_CONFIG)
}

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** The driver takes an unknown mode for encryption with a check of the certificate. */
function withKnownMode(url: string, flag: string): string {
  const mode = new URL(url).searchParams.get('sslmode')
  if (mode === null || SSL_MODES.includes(mode)) return url
  throw new ServeError(`${flag} has an unknown sslmode. It can be ${SSL_MODES.join(', ')}.`, EXIT_CONFIG)
}

/** Describes and inspects a storage without opening it. Expects a URL of `parseDatabase`. */
export async function findStorage(url: string, { clock, directUrl = url }: StoresOptions): Promise<Storage> {
  if (isPostgres(url)) return (await loadPostgres()).createPostgresStorage(directUrl, clock)
  return createSqliteStorage(requireFile(url), clock)
}

/** Opens a storage, or creates it. Rejects with a `ServeError` when it may not be used. */
export async function openStores(url: string, options: StoresOptions): Promise<Stores> {
  try {
    if (isPostgres(url)) return await (await loadPostgres()).openPostgresStores({ ...options, url })
    return await openOwnedStores({ clock: options.clock, file: requireFile(url) })
  } catch (error) {
    throw toServeError(error)
  }
}

/** Its client and its queue of jobs are a tenth of all modules, which a server with a file does not need. */
const loadPostgres = () => import('@polylogue/store-postgres')

/** Locks a file of this machine until it is released or the process ends. `undefined` when it is locked already. */
export function lockFile(file: string): FileLock | undefined {
  try {
    return acquireOwnerLock(file)
  } catch (error) {
    throw toServeError(error)
  }
}

export type FileLock = OwnerLock

/** Stores explain in one sentence why a file may not be used. */
function toServeError(error: unknown): unknown {
  return error instanceof Error ? new ServeError(error.message, EXIT_FAILURE, { cause: error }) : error
}

function isPostgres(url: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(url) && isDecodable(url)
}

function requireFile(url: string): string {
  const file = sqliteFileOf(url)
  if (file === undefined) throw new StorageFault('broken', `The database URL is not ${FORMS}.`)
  return file
}

function sqliteFileOf(url: string): string | undefined {
  return /^sqlite:(.+)$/s.exec(url)?.[1]
}

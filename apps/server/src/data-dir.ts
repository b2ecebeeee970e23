import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasFileModes, userFolder } from './platform/host.ts'
import { createPrivateFile, shellQuote } from './platform/private-file.ts'
import { EXIT_CONFIG, ServeError } from './serve-error.ts'

const DIRECTORY_NAME = '.polylogue'
const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url))

/** `$POLYLOGUE_DATA`, else `./.polylogue` if it exists, else the checkout's if it exists, else the user's. */
export function usualDataDir(env: NodeJS.ProcessEnv, cwd: string): string {
  const named = namedDataDir(env, cwd)
  if (named !== undefined) return named
  const existing = [cwd, CHECKOUT].map((parent) => join(parent, DIRECTORY_NAME)).find((path) => existsSync(path))
  return existing ?? usersDataDir(env)
}

/** The usual one. Throws a `ForeignDataDir` if it came with the current folder. */
export function defaultDataDir(env: NodeJS.ProcessEnv, cwd: string): string {
  const path = usualDataDir(env, cwd)
  if (path !== namedDataDir(env, cwd) && path !== usersDataDir(env)) refuseForeign(path)
  return path
}

/** `$POLYLOGUE_DATA`, else `./.polylogue`, which need not exist. Throws like `defaultDataDir`. */
export function dataDirHere(env: NodeJS.ProcessEnv, cwd: string): string {
  const named = namedDataDir(env, cwd)
  if (named !== undefined) return named
  const here = join(cwd, DIRECTORY_NAME)
  refuseForeign(here)
  return here
}

const usersDataDir = (env: NodeJS.ProcessEnv): string => join(userFolder(env, { home: homedir() }), DIRECTORY_NAME)

function namedDataDir(env: NodeJS.ProcessEnv, cwd: string): string | undefined {
  const named = env['POLYLOGUE_DATA']
  return named === undefined || named === '' ? undefined : resolve(cwd, named)
}

/**
 * A data directory holds keys, users, rules and turns that go on by themselves, so one that somebody put into a folder
 * would take the server. `place` in the directory says which directory it was made as. A copy is another one.
 */
function refuseForeign(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  // Another process may be making it right now.
  const isNew = readdirSync(path).every((name) => name.startsWith(PLACE_NAME))
  if (isNew || readPlace(path) === placeOf(path)) return
  throw new ForeignDataDir(path)
}

/** Somebody else may have made it. `notePlace` makes it one's own. */
export class ForeignDataDir extends ServeError {
  readonly path: string

  constructor(path: string) {
    const fact = `The data directory ${path} was not made here: it came with the folder, or is a copy.`
    const danger = 'It brings its keys, users, rules and unfinished turns along.'
    super(`${fact} ${danger} If it is yours, name it once: --data ${shellQuote(path)}`, EXIT_CONFIG)
    this.path = path
  }
}

const PLACE_NAME = 'place'
const LONGEST_PLACE = 100

/** Nobody can know the inode and the time of creation of a directory that does not exist yet. */
function placeOf(path: string): string {
  const { ino, birthtimeNs } = statSync(path, { bigint: true })
  return `${ino}:${birthtimeNs}\n`
}

function readPlace(path: string): string | undefined {
  const file = join(path, PLACE_NAME)
  const stats = lstatSync(file, { throwIfNoEntry: false })
  return stats?.isFile() && stats.size <= LONGEST_PLACE ? readFileSync(file, 'utf8') : undefined
}

/** From now on, the directory is used without being named. */
export function notePlace(path: string): void {
  const place = placeOf(path)
  if (readPlace(path) === place) return
  rmSync(join(path, PLACE_NAME), { force: true })
  createPrivateFile(join(path, PLACE_NAME), place)
}

const SHARED_NAME = 'shared-database'
const LONGEST_SHARED = 1_000

/** The directory is that of a node, whose sessions are in a database that other nodes share. */
export function noteSharedDatabase(path: string, database: string): void {
  const file = join(path, SHARED_NAME)
  rmSync(file, { force: true })
  createPrivateFile(file, `${database}\n`)
}

/** Without the database's name, a command would make an empty file in this directory, and find no session in it. */
export function refuseNodesDir(path: string): void {
  const file = join(path, SHARED_NAME)
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats?.isFile() !== true || stats.size > LONGEST_SHARED) return
  const database = readFileSync(file, 'utf8').trim()
  const fact = `The data directory ${path} is that of a node on ${database}.`
  throw new ServeError(`${fact} Name this database with --database, or another directory with --data.`, EXIT_CONFIG)
}

/** Makes the directory, or checks the one that is there: nobody else may look into it. */
export function prepareDataDir(path: string): void {
  closeDataDir(path)
  notePlace(path)
}

function closeDataDir(path: string): void {
  try {
    makeDirectory(path)
  } catch (error) {
    throw new ServeError(`The data directory ${path} cannot be made. Choose another with --data.`, EXIT_CONFIG, {
      cause: error,
    })
  }
  if (!hasFileModes() || (statSync(path).mode & 0o077) === 0) return
  const remedy = `Choose another with --data, or type: chmod 700 ${shellQuote(path)}`
  const names = readdirSync(path)
  if (names.length > 0 && !names.includes('owner.lock')) {
    throw new ServeError(`The directory ${path} holds other files and is open to other users. ${remedy}`, EXIT_CONFIG)
  }
  try {
    chmodSync(path, 0o700)
  } catch (error) {
    throw new ServeError(`The data directory ${path} is open to other users. ${remedy}`, EXIT_CONFIG, { cause: error })
  }
}

/** For this user only. Not Node's own recursion, which never ends where a directory exists and nothing can be made in it, as in /proc. */
export function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  if (!existsSync(dirname(path))) makeDirectory(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

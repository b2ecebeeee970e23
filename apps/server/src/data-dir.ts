import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasFileModes, userFolder } from './platform/host.ts'
import { shellQuote } from './platform/private-file.ts'
import { EXIT_CONFIG, ServeError } from './serve-error.ts'

const DIRECTORY_NAME = '.polylogue'
const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url))

/** `$POLYLOGUE_DATA`, else `./.polylogue` if it exists, else the checkout's if it exists, else the user's. */
export function defaultDataDir(env: NodeJS.ProcessEnv, cwd: string): string {
  const named = env['POLYLOGUE_DATA']
  if (named !== undefined && named !== '') return resolve(cwd, named)
  const existing = [cwd, CHECKOUT].map((parent) => join(parent, DIRECTORY_NAME)).find((path) => existsSync(path))
  return existing ?? join(userFolder(env, { home: homedir() }), DIRECTORY_NAME)
}

/** Makes the directory, or checks the one that is there: nobody else may look into it. */
export function prepareDataDir(path: string): void {
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

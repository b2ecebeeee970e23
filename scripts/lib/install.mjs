// Installs the dependencies when, and only when, package-lock.json asks for something that is not there. Serving needs the
// dependencies of our packages, the console's build among them. The tools of the root, for tests and checks, come on demand.
import { createHash } from 'node:crypto'
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from './lock.mjs'
import { runNpm, tell } from './run.mjs'

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, dev?: boolean, devOptional?: boolean, link?: boolean }} LockedPackage
 * @typedef {{ packages?: Record<string, LockedPackage> }} Lockfile
 */

/** Without `legacy-peer-deps`, npm also installs development tools that a package names as an optional peer. */
const SERVING_ONLY = ['--omit=dev', '--legacy-peer-deps']

/**
 * @param {string} root
 * @param {string} node
 * @param {{ readonly withTools?: boolean }} options
 * @returns {Promise<void>}
 */
export async function installDependencies(root, node, { withTools = false } = {}) {
  const wanted = hashOf(readFileSync(join(root, 'package-lock.json')))
  const isDone = () => isEnough(readStamp(root), { wanted, withTools })
  if (isDone()) return touchStamp(root)
  await withLock(join(root, '.cache', 'install.lock'), async () => {
    if (isDone()) return
    // A checkout with tools keeps them.
    const tools = withTools || hasTools(root)
    const lockfile = readLockfile(root, 'package-lock.json')
    const isThere = isInstalled(lockfile, readLockfile(root, 'node_modules/.package-lock.json'), { withTools: tools })
    if (!isThere) {
      tell(tools ? 'Installing dependencies and test tools (npm ci)…' : 'Installing dependencies (npm ci)…')
      const flags = [...(tools ? ['--include=dev'] : SERVING_ONLY), '--no-audit', '--no-fund', '--loglevel=error']
      if (!(await runNpm(['ci', ...flags], { cwd: root, node }))) {
        throw new Error('npm ci failed; see the output above. Check the network and run this again.')
      }
      tell('Installed the dependencies.')
    }
    writeFileSync(stampPath(root), `${wanted}${tools ? '' : ` ${SERVING_MARK}`}\n`)
  })
}

/** Behind the hash in the stamp: the tools are not installed. */
const SERVING_MARK = 'serving'

/**
 * Whether the stamp of an earlier installation covers what is wanted now.
 * @param {string | undefined} stamp
 * @param {{ readonly wanted: string, readonly withTools: boolean }} need
 * @returns {boolean}
 */
export function isEnough(stamp, { wanted, withTools }) {
  return stamp === wanted || (!withTools && stamp === `${wanted} ${SERVING_MARK}`)
}

/** @param {string} root */
function hasTools(root) {
  const stamp = readStamp(root)
  return stamp !== undefined && !stamp.endsWith(SERVING_MARK)
}

/**
 * Whether npm's own note of what it installed covers the lockfile, as it does after `npm install NAME`: then there
 * is nothing to do. Optional packages are those of other platforms.
 * @param {Lockfile | undefined} wanted
 * @param {Lockfile | undefined} installed
 * @param {{ readonly withTools: boolean }} options
 * @returns {boolean}
 */
export function isInstalled(wanted, installed, { withTools }) {
  if (!wanted?.packages || !installed?.packages) return false
  const there = installed.packages
  const paths = Object.keys(wanted.packages).filter((path) => path.includes('node_modules/'))
  const isCovered = paths.every((path) => {
    const [want, have] = [wanted.packages?.[path], there[path]]
    if (have) return have.version === want?.version && have.integrity === want?.integrity
    return want?.optional === true || (!withTools && (want?.dev === true || want?.devOptional === true))
  })
  return isCovered && Object.keys(there).every((path) => !path.includes('node_modules/') || paths.includes(path))
}

/** @param {string} root */
const stampPath = (root) => join(root, 'node_modules', '.polylogue-lock')

/**
 * ./polylogue asks for a bootstrap when the lockfile is newer than the stamp; a lockfile that was only touched must
 * not make it ask for ever.
 * @param {string} root
 */
function touchStamp(root) {
  if (statSync(join(root, 'package-lock.json')).mtimeMs < statSync(stampPath(root)).mtimeMs) return
  const now = new Date()
  utimesSync(stampPath(root), now, now)
}

/** @param {Buffer} bytes */
const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex')

/**
 * @param {string} root
 * @returns {string | undefined}
 */
function readStamp(root) {
  try {
    return readFileSync(stampPath(root), 'utf8').trim()
  } catch {
    return undefined
  }
}

/**
 * @param {string} root
 * @param {string} path
 * @returns {Lockfile | undefined}
 */
function readLockfile(root, path) {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8'))
  } catch {
    return undefined
  }
}

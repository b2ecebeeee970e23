// Installs the dependencies when, and only when, package-lock.json asks for something that is not there.
import { createHash } from 'node:crypto'
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from './lock.mjs'
import { runNpm, tell } from './run.mjs'

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, link?: boolean }} LockedPackage
 * @typedef {{ packages?: Record<string, LockedPackage> }} Lockfile
 */

/**
 * @param {string} root
 * @param {string} node
 * @returns {Promise<void>}
 */
export async function installDependencies(root, node) {
  const wanted = hashOf(readFileSync(join(root, 'package-lock.json')))
  if (readStamp(root) === wanted) return touchStamp(root)
  await withLock(join(root, '.cache', 'install.lock'), async () => {
    if (readStamp(root) === wanted) return
    if (!isInstalled(readLockfile(root, 'package-lock.json'), readLockfile(root, 'node_modules/.package-lock.json'))) {
      tell('Installing dependencies (npm ci)…')
      const flags = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
      if (!(await runNpm(['ci', ...flags], { cwd: root, node }))) {
        throw new Error('npm ci failed; see the output above. Check the network and run this again.')
      }
      tell('Installed the dependencies.')
    }
    writeFileSync(stampPath(root), `${wanted}\n`)
  })
}

/**
 * Whether npm's own note of what it installed covers the lockfile, as it does after `npm install NAME`: then there
 * is nothing to do. Optional packages are those of other platforms.
 * @param {Lockfile | undefined} wanted
 * @param {Lockfile | undefined} installed
 * @returns {boolean}
 */
export function isInstalled(wanted, installed) {
  if (!wanted?.packages || !installed?.packages) return false
  const there = installed.packages
  const paths = Object.keys(wanted.packages).filter((path) => path.includes('node_modules/'))
  const isCovered = paths.every((path) => {
    const [want, have] = [wanted.packages?.[path], there[path]]
    return have ? have.version === want?.version && have.integrity === want?.integrity : want?.optional === true
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

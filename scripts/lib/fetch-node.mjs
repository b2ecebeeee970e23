// Puts a Node from the npm registry into the cache folder. It is in no package.json: its `os` and `cpu` fields
// would make the install fail on every other platform.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { runNpm, tell } from './run.mjs'

/**
 * @typedef {object} NodeToFetch
 * @property {import('./choose-node.mjs').NodePackage} nodePackage
 * @property {string} home the folder that will hold it
 * @property {string} binary the path of the executable inside `home`
 * @property {(versions: { node: string, sqlite?: string | undefined }) => boolean} isFitting
 */

/**
 * @param {NodeToFetch} wanted
 * @returns {Promise<void>}
 */
export async function fetchNode({ nodePackage, home, binary, isFitting }) {
  tell(`Downloading Node ${nodePackage.version} (once, about 50 MB)…`)
  const folder = createTemporaryFolder(dirname(home))
  try {
    writeLockedPackage(folder, nodePackage)
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    const succeeded = await runNpm(['ci', '--prefix', folder, ...flags], { cwd: folder })
    if (!succeeded) {
      throw new Error(
        `Node ${nodePackage.version} could not be downloaded from the npm registry, or is not the one whose hash is ` +
          'known (see the output above). Check the network and run this again, or install Node 24.21 or newer yourself and put it first on PATH.',
      )
    }
    const versions = askVersions(join(folder, binary))
    if (!versions || !isFitting(versions)) {
      throw new Error(
        `the downloaded Node ${nodePackage.version} does not run on this system. Install Node 24.21 or newer ` +
          "with the system's own package manager and put it first on PATH.",
      )
    }
    moveIntoPlace(folder, home, binary)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * `npm ci` refuses a package that does not have the hash of the lockfile, whichever registry it comes from.
 * @param {string} folder
 * @param {NodeToFetch['nodePackage']} nodePackage
 */
function writeLockedPackage(folder, { name, version, integrity }) {
  const dependencies = { [name]: version }
  const root = { name: 'fetched-node', version: '1.0.0', private: true, dependencies }
  const packages = { '': root, [`node_modules/${name}`]: { version, integrity } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(root))
  writeFileSync(
    join(folder, 'package-lock.json'),
    JSON.stringify({ ...root, lockfileVersion: 3, requires: true, packages }),
  )
}

/**
 * @param {string} parent
 * @returns {string}
 */
function createTemporaryFolder(parent) {
  try {
    mkdirSync(parent, { recursive: true })
    return mkdtempSync(join(parent, 'fetch-'))
  } catch (error) {
    throw new Error(`cannot write to ${parent}. Set XDG_CACHE_HOME to a folder you own and run this again.`, {
      cause: error,
    })
  }
}

/**
 * A rename shows either no Node or a whole one, so two fetches at once need no lock: the second finds the first's.
 * @param {string} folder
 * @param {string} home
 * @param {string} binary
 */
function moveIntoPlace(folder, home, binary) {
  if (!existsSync(join(home, binary))) rmSync(home, { recursive: true, force: true })
  try {
    renameSync(folder, home)
  } catch (error) {
    if (!existsSync(join(home, binary))) throw error
  }
}

/**
 * @param {string} node
 * @returns {{ node: string, sqlite?: string } | undefined}
 */
function askVersions(node) {
  const { stdout, status } = spawnSync(node, ['-p', 'JSON.stringify(process.versions)'], { encoding: 'utf8' })
  return status === 0 ? JSON.parse(stdout) : undefined
}

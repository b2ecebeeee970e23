// A lock between processes: a file that holds its owner's pid. A lock whose owner has died is taken over.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tell } from './run.mjs'

const PATIENCE_MS = 10 * 60_000

/**
 * @param {string} path
 * @param {() => Promise<void>} work
 * @returns {Promise<void>}
 */
export async function withLock(path, work) {
  mkdirSync(dirname(path), { recursive: true })
  const giveUpAt = Date.now() + PATIENCE_MS
  for (let attempt = 0; !tryToLock(path); attempt++) {
    const owner = readOwner(path)
    if (owner !== undefined && !isAlive(owner)) {
      removeStale(path, owner)
      continue
    }
    if (attempt === 0) tell(`Waiting for the installation of process ${owner ?? '?'}…`)
    if (Date.now() > giveUpAt) throw new Error(`${path} is still locked. If no installation is running, delete it.`)
    await sleep(100)
  }
  try {
    await work()
  } finally {
    rmSync(path, { force: true })
  }
}

/**
 * Written aside and linked, so that nobody ever reads a lock without its pid.
 * @param {string} path
 * @returns {boolean}
 */
function tryToLock(path) {
  const mine = `${path}.${process.pid}`
  writeFileSync(mine, String(process.pid))
  try {
    linkSync(mine, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(mine, { force: true })
  }
}

/**
 * Two may find the same dead owner. The slower one then moves away the lock that the faster one has just made:
 * whoever holds a file with another pid than the dead one's puts it back.
 * @param {string} path
 * @param {number} deadOwner
 */
function removeStale(path, deadOwner) {
  const aside = `${path}.stale-${process.pid}`
  try {
    renameSync(path, aside)
    if (readOwner(aside) !== deadOwner) linkSync(aside, path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

/**
 * @param {string} path
 * @returns {number | undefined}
 */
function readOwner(path) {
  try {
    return Number(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * @param {number} pid
 * @returns {boolean}
 */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/**
 * @param {unknown} error
 * @returns {unknown}
 */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

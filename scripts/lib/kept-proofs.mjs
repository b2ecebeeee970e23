// What each proof told at this commit, so that a run of an hour can be cut short and gone on with, and a row that
// measured a busy machine can be run again without the others.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** @typedef {import('./proof-results.mjs').ProofResult} ProofResult */

/**
 * @typedef {object} KeptProof
 * @property {readonly ProofResult[]} results
 * @property {readonly string[]} brokenTests
 * @property {number} seconds
 */

/** @typedef {Record<string, KeptProof>} KeptProofs by file */

/**
 * @param {KeptProof | undefined} kept
 * @returns {boolean}
 */
export function hasHeld(kept) {
  if (kept === undefined || kept.results.length === 0) return false
  return kept.brokenTests.length === 0 && kept.results.every(({ failures }) => failures === 0)
}

/**
 * Of this commit; nothing is kept of sources that were changed since.
 * @param {string} root
 * @returns {{ read: () => KeptProofs, keep: (file: string, proof: KeptProof) => void }}
 */
export function openKeptProofs(root) {
  const commit = findCommit(root)
  const file = join(root, '.cache', 'proof', `${commit}.json`)
  /** @returns {KeptProofs} */
  const read = () => {
    if (commit === undefined) return {}
    try {
      return JSON.parse(readFileSync(file, 'utf8'))
    } catch {
      return {}
    }
  }
  return {
    read,
    // Read again each time: another run may keep its own meanwhile.
    keep(name, proof) {
      if (commit === undefined) return
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, JSON.stringify({ ...read(), [name]: proof }))
    },
  }
}

/**
 * @param {string} root
 * @returns {string | undefined}
 */
function findCommit(root) {
  const git = (/** @type {readonly string[]} */ args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const changed = git(['status', '--porcelain', '--untracked-files=no'])
      .split('\n')
      .filter((line) => line !== '' && !line.endsWith(' RELIABILITY.md') && !line.endsWith(' BENCHMARKS.md'))
    return changed.length > 0 ? undefined : git(['rev-parse', 'HEAD'])
  } catch {
    return undefined
  }
}

// What each proof told at which commit, so that a run of an hour can be cut short and gone on with, and a row that
// measured a busy machine, or whose test was mended, can be run again without the others.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** @typedef {import('./proof-results.mjs').ProofResult} ProofResult */

/**
 * @typedef {object} KeptProof
 * @property {readonly ProofResult[]} results
 * @property {readonly string[]} brokenTests
 * @property {number} seconds
 * @property {string} [commit] where it was told
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
 * Of this commit, and of those before it back to `since`, the newest first; nothing is kept of sources that no commit has.
 * @param {string} root
 * @param {string} [since]
 * @returns {{ read: () => KeptProofs, keep: (file: string, proof: KeptProof) => void }}
 */
export function openKeptProofs(root, since) {
  const commit = findCommit(root)
  const commits = commit === undefined ? [] : [commit, ...(since === undefined ? [] : findCommitsSince(root, since))]
  return {
    read: () => Object.assign({}, ...commits.toReversed().map((one) => readKept(root, one))),
    // Read again each time: another run may keep its own meanwhile.
    keep(name, proof) {
      if (commit === undefined) return
      const file = fileOf(root, commit)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, JSON.stringify({ ...readKept(root, commit), [name]: { ...proof, commit } }))
    },
  }
}

/**
 * @param {string} root
 * @param {string} commit
 * @returns {string}
 */
function fileOf(root, commit) {
  return join(root, '.cache', 'proof', `${commit}.json`)
}

/**
 * @param {string} root
 * @param {string} commit
 * @returns {KeptProofs}
 */
function readKept(root, commit) {
  try {
    /** @type {KeptProofs} */
    const kept = JSON.parse(readFileSync(fileOf(root, commit), 'utf8'))
    return Object.fromEntries(Object.entries(kept).map(([file, proof]) => [file, { ...proof, commit }]))
  } catch {
    return {}
  }
}

/**
 * Newest first, `since` the last.
 * @param {string} root
 * @param {string} since
 * @returns {readonly string[]}
 */
function findCommitsSince(root, since) {
  return execFileSync('git', ['rev-list', `${since}^..HEAD`], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
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

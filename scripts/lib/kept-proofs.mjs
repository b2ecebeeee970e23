// What each proof reported, and at which commit. A run of hours can be cut short and continued, and single rows can be
// run again. The file is committed: RELIABILITY.md is written from it.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const RESULTS = 'tests/proof/results.json'

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
 * `read` returns the proofs of this commit, and of those before it back to `since`; `readAll` returns the last result of
 * every proof. Nothing is kept of sources that no commit has.
 * @param {string} root
 * @param {string} [since]
 * @returns {{ read: () => KeptProofs, readAll: () => KeptProofs, keep: (file: string, proof: KeptProof) => void }}
 */
export function openKeptProofs(root, since) {
  const commit = findCommit(root)
  const commits = new Set(
    commit === undefined ? [] : [commit, ...(since === undefined ? [] : findCommitsSince(root, since))],
  )
  const file = join(root, RESULTS)
  return {
    read: () =>
      Object.fromEntries(Object.entries(readKept(file)).filter(([, proof]) => commits.has(proof.commit ?? ''))),
    readAll: () => readKept(file),
    // Read again each time: another run may keep its own meanwhile.
    keep(name, proof) {
      if (commit === undefined) return
      const kept = { ...readKept(file), [name]: { ...proof, commit } }
      const sorted = Object.fromEntries(Object.entries(kept).sort(([one], [other]) => (one < other ? -1 : 1)))
      writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`)
    },
  }
}

/**
 * @param {string} file
 * @returns {KeptProofs}
 */
function readKept(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
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
      .filter(
        (line) =>
          line !== '' && ![RESULTS, 'RELIABILITY.md', 'BENCHMARKS.md'].some((file) => line.endsWith(` ${file}`)),
      )
    return changed.length > 0 ? undefined : git(['rev-parse', 'HEAD'])
  } catch {
    return undefined
  }
}

import { execFileSync } from 'node:child_process'
import { cpus, release, totalmem, type } from 'node:os'

/**
 * One line about where a program ran, without names of machines or people.
 * @param {string} node the Node that ran it
 * @returns {string}
 */
export function describeMachine(node) {
  const [cpu] = cpus()
  const versions = execFileSync(node, ['-p', '`Node ${process.versions.node}, SQLite ${process.versions.sqlite}`'])
  const gibibytes = Math.round(totalmem() / 2 ** 30)
  return [
    `${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}`,
    `${gibibytes} GiB`,
    `${type()} ${release().split('-', 1)[0]}`,
    versions.toString().trim(),
  ].join(', ')
}

import { ROOT } from './bootstrap.mjs'
import { environmentFor, run } from './run.mjs'

/** @typedef {{ readonly name: string, readonly args: readonly string[] }} Check */

/** The checks that read the sources without running them, in the order of `npm test`. */
export const FORMAT = { name: 'format', args: ['node_modules/oxfmt/bin/oxfmt', '--check', '.'] }
export const LINT = { name: 'lint', args: ['node_modules/oxlint/bin/oxlint', '--type-aware'] }
export const TYPECHECK = { name: 'typecheck', args: ['node_modules/typescript/bin/tsc', '--noEmit'] }

/**
 * Runs one of our development tools on the given Node, under a heading; tells whether it was satisfied.
 * @param {string} node
 * @param {Check} check
 * @returns {Promise<boolean>}
 */
export async function runCheck(node, { name, args }) {
  process.stdout.write(`\n== ${name}\n`)
  return (await run(node, args, { cwd: ROOT, env: environmentFor(node), stdio: 'inherit' })) === 0
}

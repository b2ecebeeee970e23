import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWeb } from './build-web.mjs'
import { chooseNode } from './choose-node.mjs'
import { installDependencies } from './install.mjs'
import { tell } from './run.mjs'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Makes the checkout runnable: a Node that fits, the dependencies, the built web console, and a note for ./polylogue of
 * which Node that is.
 * With nothing to do it only reads files and returns.
 * @param {string} root
 * @param {{ readonly withTools?: boolean }} options `withTools`: also what tests, checks and packing need
 * @returns {Promise<string>} the absolute path of the Node to use
 */
export async function bootstrap(root = ROOT, options = {}) {
  const node = await chooseNode()
  await installDependencies(root, node, options)
  await buildWeb(root, node)
  recordNode(join(root, '.cache', 'node'), node)
  return node
}

/**
 * @param {() => Promise<void>} work
 * @returns {Promise<void>}
 */
export async function endWithSentence(work) {
  try {
    await work()
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  }
}

/**
 * @param {string} path
 * @param {string} node
 */
function recordNode(path, node) {
  const line = `${node}\n`
  if (read(path) === line) return
  mkdirSync(dirname(path), { recursive: true })
  const aside = `${path}.${process.pid}`
  writeFileSync(aside, line)
  renameSync(aside, path)
}

/**
 * @param {string} path
 * @returns {string | undefined}
 */
function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

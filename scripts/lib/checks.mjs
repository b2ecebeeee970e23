import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './bootstrap.mjs'
import { environmentFor, run, runForOutput } from './run.mjs'

/**
 * One of our development tools: its script and the arguments of each run.
 * @typedef {{ readonly name: string, readonly script: string, readonly runs: readonly (readonly string[])[] }} Check
 */

/** The checks that read the sources without running them, in the order of `npm test`. */
/** @type {Check} */
export const FORMAT = { name: 'format', script: 'node_modules/oxfmt/bin/oxfmt', runs: [['--check', '.']] }
/** @type {Check} */
export const LINT = { name: 'lint', script: 'node_modules/oxlint/bin/oxlint', runs: [['--type-aware']] }
/** @type {Check} */
export const TYPECHECK = {
  name: 'typecheck',
  script: 'node_modules/typescript/bin/tsc',
  runs: ['.', ...findProjects('apps'), ...findProjects('packages')].map((project) => [
    ...['--noEmit', '-p', project],
    ...['--incremental', '--tsBuildInfoFile', join(ROOT, '.cache', `types-${project.replaceAll(/\W/g, '-')}.json`)],
  ]),
}

/**
 * Runs a tool on the given Node, under a heading. Resolves with whether every run succeeded.
 * @param {string} node
 * @param {Check} check
 * @returns {Promise<boolean>}
 */
export async function runCheck(node, { name, script, runs }) {
  process.stdout.write(`\n== ${name}\n`)
  let isInOrder = true
  for (const args of runs) {
    const code = await run(node, [script, ...args], {
      cwd: ROOT,
      env: environmentFor(node),
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    isInOrder &&= code === 0
  }
  return isInOrder
}

/**
 * The same without printing: the output is part of the result, under its heading.
 * @param {string} node
 * @param {Check} check
 * @returns {Promise<{ readonly isInOrder: boolean, readonly output: string }>}
 */
export async function runQuietly(node, { name, script, runs }) {
  let isInOrder = true
  let output = `\n== ${name}\n`
  for (const args of runs) {
    const result = await runForOutput(node, [script, ...args], { cwd: ROOT, env: environmentFor(node) })
    isInOrder &&= result.code === 0
    output += result.output
  }
  return { isInOrder, output }
}

/**
 * Folders with a tsconfig.json of their own: code for a browser, which the root's settings leave out.
 * @param {string} folder
 * @returns {string[]}
 */
function findProjects(folder) {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true })
  if (entries.some(({ name }) => name === 'tsconfig.json')) return [folder]
  const inner = entries.filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
  return inner.flatMap(({ name }) => findProjects(join(folder, name)))
}

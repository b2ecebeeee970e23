// Builds the web console when, and only when, something that it is made of has changed.
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from './lock.mjs'
import { environmentFor, runForOutput, tell } from './run.mjs'

/** What the console is built from. The lockfile stands for all packages of others. */
const SOURCES = [
  'apps/web/src',
  'apps/web/public',
  'apps/web/index.html',
  'apps/web/vite.config.ts',
  'apps/web/package.json',
  'packages/client/src',
  'packages/protocols/blade/src/client',
  'packages/protocols/blade/src/fold',
  'packages/protocols/console/src/client',
  'packages/protocols/console/src/contract',
  'packages/protocols/kit/src/client',
  'packages/protocols/kit/src/sse',
  'package-lock.json',
]

/**
 * @param {string} root
 * @param {string} node
 * @returns {Promise<void>}
 */
export async function buildWeb(root, node) {
  if (!existsSync(join(root, 'apps', 'web', 'vite.config.ts'))) return
  const wanted = hashSources(root)
  if (isBuilt(root, wanted)) return
  await withLock(join(root, '.cache', 'web.lock'), async () => {
    if (isBuilt(root, wanted)) return
    tell('Building the web console…')
    const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
    const args = [vite, 'build', join('apps', 'web'), '--logLevel', 'error']
    const { code, output } = await runForOutput(node, args, { cwd: root, env: environmentFor(node) })
    if (code !== 0) throw new Error(`The web console could not be built:\n${output}`)
    copyViewer(root)
    mkdirSync(join(root, '.cache'), { recursive: true })
    writeFileSync(stampPath(root), `${wanted}\n`)
  })
}

/**
 * The viewer of the API documentation comes along with the console, so that the published package needs no dependency for
 * it.
 * @param {string} root
 */
function copyViewer(root) {
  const target = join(root, 'apps', 'web', 'dist', 'docs')
  mkdirSync(target, { recursive: true })
  for (const name of [
    'swagger-ui-bundle.js',
    'swagger-ui.css',
    'swagger-ui-bundle.js.LICENSE.txt',
    'LICENSE',
    'NOTICE',
  ]) {
    copyFileSync(join(root, 'node_modules', 'swagger-ui-dist', name), join(target, name))
  }
}

/**
 * @param {string} root
 * @param {string} wanted
 */
function isBuilt(root, wanted) {
  if (!existsSync(join(root, 'apps', 'web', 'dist', 'index.html'))) return false
  try {
    return readFileSync(stampPath(root), 'utf8').trim() === wanted
  } catch {
    return false
  }
}

/** @param {string} root */
const stampPath = (root) => join(root, '.cache', 'web-build')

/**
 * @param {string} root
 * @returns {string}
 */
export function hashSources(root) {
  const hash = createHash('sha256')
  for (const path of SOURCES.flatMap((source) => filesIn(root, source))) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0')
  }
  return hash.digest('hex')
}

/**
 * @param {string} root
 * @param {string} source
 * @returns {string[]}
 */
function filesIn(root, source) {
  const whole = join(root, source)
  if (!existsSync(whole)) return []
  if (/\.\w+$/.test(source)) return [source]
  return readdirSync(whole, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(root, '/').length))
    .sort()
}

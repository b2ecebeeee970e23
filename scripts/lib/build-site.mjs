// The documentation site. Its tools are not part of the workspaces: they are installed in site/ when the site is built.
import { join } from 'node:path'
import { checkSite } from './check-site.mjs'
import { installDependencies } from './install.mjs'
import { environmentFor, run, runForOutput, tell } from './run.mjs'

/**
 * @param {string} root
 * @param {string} node
 * @param {{ readonly base?: string | undefined, readonly outDir?: string }} options `base`: the folder of the host that serves it
 * @returns {Promise<{ readonly pages: number, readonly links: number }>}
 */
export async function buildSite(root, node, { base = '/', outDir = join(root, 'dist', 'docs') } = {}) {
  if (!/^\/(?:.*\/)?$/.test(base)) throw new Error(`--base must begin and end with a slash: ${base}`)
  await installDependencies(join(root, 'site'), node, { withTools: true })
  tell('Building the documentation site…')
  const args = [vitepress(root), 'build', 'site', '--base', base, '--outDir', outDir]
  const { code, output } = await runForOutput(node, args, { cwd: root, env: environmentFor(node) })
  if (code !== 0) throw new Error(`The documentation site could not be built:\n${output}`)
  const { pages, links, dead } = checkSite(outDir, base)
  if (dead.length > 0) throw new Error(`The documentation site has dead links:\n${dead.join('\n')}`)
  return { pages, links }
}

/**
 * @param {string} root
 * @param {string} node
 */
export async function serveSite(root, node) {
  await installDependencies(join(root, 'site'), node, { withTools: true })
  await run(node, [vitepress(root), 'dev', 'site'], { cwd: root, env: environmentFor(node), stdio: 'inherit' })
}

/** @param {string} root */
const vitepress = (root) => join(root, 'site', 'node_modules', 'vitepress', 'bin', 'vitepress.js')

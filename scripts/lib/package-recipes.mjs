import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, posix, relative } from 'node:path'

/**
 * What is published, by the name of the package.
 * @param {string} root
 * @returns {Record<string, import('./compile-package.mjs').PackageRecipe>}
 */
export function readRecipes(root) {
  const { version, license, description, devDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  /** @type {{ description: string, exports: Record<string, string> }} */
  const client = JSON.parse(readFileSync(join(root, 'packages/client/package.json'), 'utf8'))
  return {
    polylogue: {
      manifest: {
        name: 'polylogue',
        version,
        description,
        license,
        keywords: ['agent', 'server', 'aap', 'acp', 'blade', 'mcp'],
        type: 'module',
        bin: { polylogue: 'apps/cli/polylogue.cjs' },
        engines: { node: '>=24' },
        publishConfig: { access: 'public', provenance: true },
      },
      dependencies: { '@types/node': devDependencies['@types/node'] },
      exports: { '.': 'apps/server/src/public.ts' },
      types: ['node'],
      programs: ['apps/cli/src/main.ts'],
      readme: 'README.md',
      files: ['LICENSE', 'apps/cli/polylogue.cjs', ...listFiles(root, 'apps/web/dist')],
      // Whole, it has 27 MB of vocabularies and twelve hundred files more than we use.
      bundled: { 'gpt-tokenizer': 'esm/encoding/o200k_base.js' },
    },
    '@polylogue/client': {
      manifest: {
        name: '@polylogue/client',
        version,
        description: client.description,
        license,
        keywords: ['agent', 'client', 'aap', 'blade'],
        type: 'module',
        sideEffects: false,
        engines: { node: '>=22' },
        publishConfig: { access: 'public', provenance: true },
      },
      dependencies: {},
      exports: Object.fromEntries(
        Object.entries(client.exports).map(([entry, path]) => [entry, posix.join('packages/client', path)]),
      ),
      types: [],
      programs: [],
      readme: 'packages/client/README.md',
      files: ['LICENSE'],
      bundled: {},
    },
  }
}

/**
 * The web console comes along as it was built.
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
function listFiles(root, folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
}

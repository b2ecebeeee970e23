import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What is published, by the name of the package.
 * @param {string} root
 * @returns {Record<string, import('./compile-package.mjs').PackageRecipe>}
 */
export function readRecipes(root) {
  const { version, license, description, devDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
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
      files: ['README.md', 'LICENSE', 'apps/cli/polylogue.cjs'],
    },
  }
}

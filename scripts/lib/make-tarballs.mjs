import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, endWithSentence } from './bootstrap.mjs'
import { compilePackage } from './compile-package.mjs'
import { readRecipes } from './package-recipes.mjs'
import { runNpm, tell } from './run.mjs'

await endWithSentence(async () => {
  const dist = join(ROOT, 'dist')
  mkdirSync(dist, { recursive: true })
  for (const [name, recipe] of Object.entries(readRecipes(ROOT))) {
    const outDir = join(dist, 'packages', name)
    await compilePackage(ROOT, recipe, { outDir, node: process.execPath })
    const isPacked = await runNpm(['pack', '--pack-destination', dist, '--loglevel=error'], { cwd: outDir })
    if (!isPacked) throw new Error(`npm pack failed for ${name}; see the output above.`)
    const { version } = JSON.parse(readFileSync(join(outDir, 'package.json'), 'utf8'))
    tell(`Packed dist/${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
  }
})

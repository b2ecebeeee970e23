// `npm run refresh-models`: writes packages/models/src/known/generated/*.json anew from the list that `polylogue models refresh`
// fetches, which prints what changed.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, bootstrap, endWithSentence } from './lib/bootstrap.mjs'
import { environmentFor, run } from './lib/run.mjs'

await endWithSentence(async () => {
  const node = await bootstrap()
  const data = mkdtempSync(join(tmpdir(), 'polylogue-models-'))
  try {
    const args = [join(ROOT, 'apps/cli/src/main.ts'), 'models', 'refresh', '--data', data]
    const code = await run(node, args, { cwd: ROOT, env: environmentFor(node), stdio: 'inherit' })
    if (code !== 0) throw new Error('The list of models was not fetched.')
    const { source, date, providers } = JSON.parse(readFileSync(join(data, 'models.json'), 'utf8'))
    for (const [provider, models] of Object.entries(providers)) {
      const path = join(ROOT, 'packages/models/src/known/generated', `${provider}.json`)
      writeFileSync(path, `${JSON.stringify({ source, date, models }, null, 1)}\n`)
    }
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
})

// `node scripts/try-image.mjs`: the steps of the Dockerfile without Docker. See lib/image-trial.mjs.
import { fileURLToPath } from 'node:url'
import { ROOT, bootstrap, endWithSentence } from './lib/bootstrap.mjs'
import { environmentFor, run } from './lib/run.mjs'

await endWithSentence(async () => {
  const node = await bootstrap(ROOT, { withTools: true })
  const trial = fileURLToPath(new URL('./lib/image-trial.mjs', import.meta.url))
  process.exitCode = await run(node, [trial], { cwd: ROOT, env: environmentFor(node), stdio: 'inherit' })
})

// `npm run pack`: dist/polylogue-VERSION.tgz and dist/polylogue-client-VERSION.tgz, ready to be published.
import { fileURLToPath } from 'node:url'
import { ROOT, bootstrap, endWithSentence } from './lib/bootstrap.mjs'
import { environmentFor, run } from './lib/run.mjs'

const MAKE = fileURLToPath(new URL('./lib/make-tarballs.mjs', import.meta.url))

await endWithSentence(async () => {
  const node = await bootstrap(ROOT, { withTools: true })
  const args = ['--disable-warning=ExperimentalWarning', MAKE, ...process.argv.slice(2)]
  process.exitCode = await run(node, args, { cwd: ROOT, env: environmentFor(node), stdio: 'inherit' })
})

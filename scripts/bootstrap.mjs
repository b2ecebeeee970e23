// Makes a fresh checkout runnable on any Node from 18 on, without dependencies of its own. See lib/bootstrap.mjs.
import { bootstrap, endWithSentence } from './lib/bootstrap.mjs'

await endWithSentence(async () => {
  await bootstrap()
})

// `npm run docs`: builds the documentation site into dist/docs and fails on a dead link. `npm run docs -- --base /polylogue/`
// builds it for a folder of a host; `npm run docs -- --serve` shows it while you write.
import { ROOT, bootstrap, endWithSentence } from './lib/bootstrap.mjs'
import { buildSite, serveSite } from './lib/build-site.mjs'
import { tell } from './lib/run.mjs'

await endWithSentence(async () => {
  const args = process.argv.slice(2)
  const node = await bootstrap()
  if (args.includes('--serve')) return serveSite(ROOT, node)
  const base = args[args.indexOf('--base') + 1]
  const { pages, links } = await buildSite(ROOT, node, args.includes('--base') ? { base } : {})
  tell(`Built dist/docs: ${pages} pages, ${links} links, none of them dead.`)
})

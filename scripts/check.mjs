// `npm run lint`, `npm run format`, `npm run typecheck`: one development tool, on the Node that fits.
import { ROOT, bootstrap, endWithSentence } from './lib/bootstrap.mjs'
import { FORMAT, LINT, TYPECHECK, runCheck } from './lib/checks.mjs'

const TOOLS = [LINT, TYPECHECK, { ...FORMAT, runs: [[]] }]

await endWithSentence(async () => {
  const [name, ...args] = process.argv.slice(2)
  const tool = TOOLS.find((candidate) => candidate.name === name)
  if (!tool) throw new Error(`usage: node scripts/check.mjs ${TOOLS.map((candidate) => candidate.name).join('|')}`)
  const isInOrder = await runCheck(await bootstrap(ROOT, { withTools: true }), {
    ...tool,
    runs: tool.runs.map((own) => [...own, ...args]),
  })
  process.exitCode = isInOrder ? 0 : 1
})

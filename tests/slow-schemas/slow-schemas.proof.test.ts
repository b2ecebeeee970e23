import { SLOW_SCHEMAS } from '@polylogue/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { beginSlowTurn, playSlowTurn, probeHealth } from './play-slow-schema.ts'

const LONGEST_PROBE_MS = 250
const READY_WITHIN_MS = 3000

it('C24: slow patterns and schemas end only their own turns', async () => {
  const seconds = startStopwatch()
  const dir = await createTempDir()
  onTestFinished(() => dir.remove())
  const server = await startServerProcess({ dataDir: dir.path })
  onTestFinished(() => server.kill())
  await playSlowTurn(server, { schema: { type: 'object' }, value: {} })
  const failures: string[] = []
  let worst = 0
  for (const { name, schema, value } of SLOW_SCHEMAS) {
    const stop = probeHealth(server)
    await playSlowTurn(server, { schema, value })
    const longest = await stop()
    worst = Math.max(worst, longest)
    if (longest > LONGEST_PROBE_MS) failures.push(`${name}: ${Math.round(longest)} ms`)
  }
  const readyMs = await restartPoisoned()
  if (readyMs > READY_WITHIN_MS) failures.push(`ready after ${Math.round(readyMs)} ms`)
  tellProof({
    id: 'C24',
    what: `slow patterns and schemas of clients, with values of models that make them slow: the longest answer of /healthz beside them took ${Math.round(worst)} ms; a server that was killed in the middle of such a turn is ready again after ${Math.round(readyMs)} ms`,
    count: SLOW_SCHEMAS.length + 1,
    failures: failures.length,
    seed: 'none',
    seconds: seconds(),
  })
  expect(failures).toEqual([])
})

/** How long a server takes to serve whose log holds a turn that checks a schema for ever. */
async function restartPoisoned(): Promise<number> {
  const dir = await createTempDir()
  onTestFinished(() => dir.remove())
  const first = await startServerProcess({ dataDir: dir.path })
  const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
  await beginSlowTurn(first, { schema, value: { a: `${'a'.repeat(60)}!` }, sleepMs: 1000 })
  await first.kill()
  const startedAt = performance.now()
  const second = await startServerProcess({ dataDir: dir.path })
  onTestFinished(() => second.kill())
  expect((await fetch(new URL('/readyz', second.url))).status).toBe(200)
  return performance.now() - startedAt
}

import { SLOW_SCHEMAS } from '@polylogue/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { playSlowTurn, probeHealth } from './play-slow-schema.ts'

const LONGEST_PROBE_MS = 250

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
  tellProof({
    id: 'C24',
    what: `slow patterns and schemas of clients, with values of models that make them slow: the longest answer of /healthz beside them took ${Math.round(worst)} ms`,
    count: SLOW_SCHEMAS.length,
    failures: failures.length,
    seed: 'none',
    seconds: seconds(),
  })
  expect(failures).toEqual([])
})

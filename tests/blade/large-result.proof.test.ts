import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { playLargeResult } from './large-result.ts'

const MEBIBYTE = 1024 * 1024
const WATCHERS = 1_000
const RESULT = 3 * MEBIBYTE
/** Four times the event, and what the process needs for a thousand connections that all read at once. */
const GROWTH = 4 * 2 * RESULT + 300 * MEBIBYTE
const PROBE_MS = 250

it('a result of 3 MiB reaches a thousand watchers, and the server stays small and quick', async () => {
  const seconds = startStopwatch()
  const { whole, grown, worstProbe } = await playLargeResult(WATCHERS, RESULT)
  const complaints = [
    ...(whole === WATCHERS ? [] : [`${WATCHERS - whole} watchers did not get all`]),
    ...(grown <= GROWTH ? [] : [`memory grew by ${Math.round(grown / MEBIBYTE)} MiB`]),
    ...(worstProbe <= PROBE_MS ? [] : [`/healthz took ${Math.round(worstProbe)} ms`]),
  ]
  tellProof({
    id: 'sockets',
    what: `watchers of a tool result of 3 MiB over Socket.IO: each got all of it; memory +${Math.round(grown / MEBIBYTE)} MiB at most, slowest probe ${Math.round(worstProbe)} ms`,
    count: WATCHERS,
    failures: complaints.length,
    seed: '–',
    seconds: seconds(),
    complaints,
  })
  expect(complaints).toEqual([])
})

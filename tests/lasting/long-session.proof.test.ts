import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { type LongSession, WINDOW, playLongSession } from './long-session.ts'

const TURNS = 2_000
const MOST_CPU_GROWTH = 1.5
const MOST_HEAP_GROWTH = 3 * 1024 * 1024
/** The heap's youngest part alone comes and goes in steps of this size. */
const MOST_RESIDENT_GROWTH = 64 * 1024 * 1024

it('L2: a session of two thousand turns', async () => {
  const seconds = startStopwatch()
  const played = await playLongSession({ turns: TURNS, warmUp: 200, measured: 200 })
  const complaints = [...played.complaints, ...complainOfGrowth(played)]
  const { early, late } = played
  tellProof({
    id: 'L2',
    what: `turns of one session: at most ${Math.max(...played.inputTokens)} of ${WINDOW} tokens to the model, ${played.compactions} compactions, ${inMs(early.cpuPerTurn)} of CPU per turn at first and ${inMs(late.cpuPerTurn)} at the end, ${inMiB(early.residentBytes)} and ${inMiB(late.residentBytes)} of memory`,
    count: TURNS,
    failures: complaints.length,
    complaints,
    seed: '–',
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
})

function complainOfGrowth({ inputTokens, compactions, early, late }: LongSession): string[] {
  const most = Math.max(...inputTokens)
  const heap = late.heapBytes - early.heapBytes
  const resident = late.residentBytes - early.residentBytes
  return [
    ...(most > WINDOW ? [`the model was given ${most} tokens, its window is ${WINDOW}`] : []),
    ...(compactions < TURNS / 50 ? [`there were only ${compactions} compactions`] : []),
    ...(late.cpuPerTurn > early.cpuPerTurn * MOST_CPU_GROWTH
      ? [`a turn costs ${inMs(late.cpuPerTurn)} of CPU, in the beginning it was ${inMs(early.cpuPerTurn)}`]
      : []),
    ...(heap > MOST_HEAP_GROWTH ? [`the heap has grown by ${inMiB(heap)}`] : []),
    ...(resident > MOST_RESIDENT_GROWTH ? [`the process has grown by ${inMiB(resident)}`] : []),
  ]
}

const inMs = (cpuSeconds: number): string => `${(cpuSeconds * 1000).toFixed(1)} ms`
const inMiB = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MiB`

import { expect, it } from 'vitest'
import { proofSize, startStopwatch, tellProof } from '../../storage-faults/proof-result.ts'
import { measureCommands } from './command-times.ts'
import { drainTo, fillCluster, measureStarts } from './dispatch.ts'
import { shareTurns } from './share-turns.ts'
import { copiesMade, loseJobs, runTurns, startJobStage, tripleJobs, type JobStage } from './spoil-jobs.ts'

const BEGINS_WITHIN_MS = 50
const HEARD_WITHIN_MS = 250
const HANDED_OVER_WITHIN_MS = 5_000
const MOST_WAITING = 1_000
const FOUND_WITHIN_MS = 2_000
/** So many turns wait at the same time. */
const AT_ONCE = 10

interface Proved {
  readonly what: string
  readonly count: number
  readonly complaints: readonly string[]
}

async function prove(act: () => Promise<Proved>): Promise<void> {
  const seconds = startStopwatch()
  const { complaints, ...proved } = await act()
  tellProof({
    ...{ id: 'dispatch', store: 'postgres', seed: '–', ...proved },
    ...{ failures: complaints.length, complaints, seconds: seconds() },
  })
  expect(complaints).toEqual([])
}

it('cluster 24: dispatch: turns that a web node admits begin on a worker within 50 ms', () =>
  prove(async () => {
    const count = proofSize(1_000)
    const { complaints, p50Ms, p99Ms } = await measureStarts(count)
    const late = p99Ms > BEGINS_WITHIN_MS ? [`p99 is ${p99Ms} ms`] : []
    const what = `turns that a web node admits begin on a worker: p50 ${p50Ms} ms, p99 ${p99Ms} ms`
    return { what, count, complaints: [...complaints, ...late] }
  }))

it('cluster 29: dispatch: a full cluster refuses turns and loses none', () =>
  prove(async () => {
    const most = proofSize(2 * MOST_WAITING)
    const { complaints, accepted } = await fillCluster({ most, isOld: most <= MOST_WAITING })
    const what = `turns that waited for a node before the next one got 503: all ran once when workers came, and no other`
    return { what, count: accepted, complaints }
  }))

it('cluster 30: dispatch: a node hands 200 turns over within five seconds', () =>
  prove(async () => {
    const count = proofSize(200)
    const { complaints, tookMs } = await drainTo(count)
    const late = tookMs > HANDED_OVER_WITHIN_MS ? [`it took ${tookMs} ms`] : []
    const what = `running turns of a node that stops are continued by another one, the last after ${tookMs} ms`
    return { what, count, complaints: [...complaints, ...late] }
  }))

it('cluster 53: dispatch: commands at one node reach a turn at another within 250 ms', () =>
  prove(async () => {
    const count = proofSize(200)
    const { complaints, approved, cancelled } = await measureCommands(count)
    const slowest = Math.max(approved.p99Ms, cancelled.p99Ms)
    const late = slowest > HEARD_WITHIN_MS ? [`p99 is ${slowest} ms`] : []
    const times = `${approved.p50Ms} and ${cancelled.p50Ms} ms, p99 ${approved.p99Ms} and ${cancelled.p99Ms} ms`
    const what = `turns whose approval and cancel arrive at another node: acted on after (p50) ${times}`
    return { what, count, complaints: [...complaints, ...late] }
  }))

it('cluster 28: dispatch: a turn of a user who has no other precedes the second wave of a busy one', () =>
  prove(async () => {
    const count = proofSize(300)
    const { complaints, place } = await shareTurns(count)
    const what = `turns of one user wait when another user begins one: it was number ${place} to run, where a node runs 8 at a time`
    return { what, count, complaints }
  }))

/** Runs turns whose jobs are spoilt, some at a time. */
async function runSpoilt(count: number, spoil: (stage: JobStage) => Promise<void>) {
  const stage = await startJobStage()
  try {
    await spoil(stage)
    const complaints: string[] = []
    let slowestMs = 0
    let ran = 0
    for (; ran < count; ran += AT_ONCE) {
      const { times, slowestMs: tookMs } = await runTurns(stage, AT_ONCE)
      slowestMs = Math.max(slowestMs, tookMs)
      const wrong = times.filter((each) => each !== 1)
      if (wrong.length > 0) complaints.push(`after ${ran} turns, calls ran ${wrong.join(', ')} times`)
    }
    const copies = spoil === tripleJobs ? await copiesMade(stage) : 0
    return { count: ran, complaints, slowestMs, copies }
  } finally {
    await stage.remove()
  }
}

it('cluster 25: dispatch: turns whose jobs are lost begin within two seconds, and run once', () =>
  prove(async () => {
    const { count, complaints, slowestMs } = await runSpoilt(proofSize(200), loseJobs)
    const late = slowestMs > FOUND_WITHIN_MS ? [`the slowest began after ${slowestMs} ms`] : []
    const what = `turns whose every job is lost: each ran once, the slowest began after ${slowestMs} ms`
    return { what, count, complaints: [...complaints, ...late] }
  }))

it('cluster 26: dispatch: turns whose jobs are delivered three times run once', () =>
  prove(async () => {
    const { count, complaints, copies } = await runSpoilt(proofSize(1_000), tripleJobs)
    const few = copies < count ? [`only ${copies} jobs were delivered again`] : []
    const what = `turns whose every job is delivered three times, to two workers: each ran once`
    return { what, count, complaints: [...complaints, ...few] }
  }))

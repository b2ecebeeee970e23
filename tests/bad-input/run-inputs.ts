import { type Testimony, askWitness } from './ask-witness.ts'
import type { BadInput, Scene } from './bad-input.ts'
import type { Outcome } from './connection.ts'
import { generateInput } from './generate-input.ts'
import { LARGE_BODY_COUNT, generateLargeBody } from './generate/large-bodies.ts'
import { judgeGrowth } from './judge-growth.ts'
import { isByContract, judgeOutcome } from './judge-outcome.ts'
import type { ProbeRound } from './probe.ts'
import { sendProbe } from './send-probe.ts'
import { createRandom } from './random.ts'
import { readBack } from './read-back.ts'
import { createSession } from './scene.ts'
import type { Subject } from './subject.ts'
import { createWorker } from './worker.ts'

export interface Plan {
  readonly seed: string
  /** The first index and how many from there. */
  readonly from: number
  readonly count: number
}

export interface Failure {
  /** Of the input; of a batch, its first. */
  readonly index: number
  readonly kind: string
  readonly complaints: readonly string[]
}

export interface Report {
  readonly plan: Plan
  /** How many were sent. */
  readonly count: number
  readonly failures: readonly Failure[]
  readonly statuses: Readonly<Record<string, number>>
  /** Answers that said the server cannot now. */
  readonly byContract: number
  readonly slowestProbeMs: number
  readonly warm: Testimony
  readonly last: Testimony
  readonly seconds: number
}

type MakeInput = (index: number, scene: Scene) => BadInput

export interface Batch {
  readonly make: MakeInput
  /** How many send at once. */
  readonly workers: number
}

const WORKERS = 8
const BATCH = 200
const INPUTS_PER_PROBE = 50
/** Enough to see what is wrong: a server that is broken breaks everything that follows. */
const MOST_FAILURES = 20
const WARM_UP_INPUTS = 400
const LARGE_AT_ONCE = 3
const GIVE_UP_MS = 10_000
/** Of a server that nobody reaches, before it counts as one that is still there. */
const ENDS_WITHIN_MS = 500

/** Sends the inputs, judges what comes back, and looks after every batch whether the server is still what it was. */
export async function runInputs(subject: Subject, plan: Plan): Promise<Report> {
  const startedAt = performance.now()
  const { seed, from, count } = plan
  const run = await createRun(subject)
  await warmUp(run, seed)
  const warm = await askWitness(subject.witness).catch((): Testimony => NOTHING)
  for (let done = 0; done < count && run.goesOn(); done += BATCH) {
    const indexes = Array.from({ length: Math.min(BATCH, count - done) }, (_, offset) => from + done + offset)
    await run.sendBatch(indexes, { workers: WORKERS, make: (index, scene) => generateInput(seed, index, scene) })
  }
  const last = await askWitness(subject.witness).catch((): Testimony => NOTHING)
  const growth = run.goesOn() ? judgeGrowth(warm, last) : []
  if (growth.length > 0) run.failures.push({ index: from, kind: `all ${count}`, complaints: growth })
  return { ...run.tally, plan, failures: run.failures, warm, last, seconds: (performance.now() - startedAt) / 1000 }
}

const NOTHING: Testimony = {
  strangeNames: [],
  rss: 0,
  heapUsed: 0,
  external: 0,
  delayP99Ms: 0,
  delayMaxMs: 0,
  warnings: [],
}

type Run = Awaited<ReturnType<typeof createRun>>

/** Until caches are filled, code is compiled, and memory has seen the worst of what is to come, some of it at once. */
async function warmUp({ sendBatch }: Run, seed: string): Promise<void> {
  const large = Array.from({ length: 2 * LARGE_BODY_COUNT }, (_, turn) => turn)
  await sendBatch(large, {
    workers: LARGE_AT_ONCE,
    make: (turn, scene) => generateLargeBody(turn, createRandom(seed, turn), scene),
  })
  const indexes = Array.from({ length: WARM_UP_INPUTS }, (_, index) => index)
  await sendBatch(indexes, {
    workers: WORKERS,
    make: (index, scene) => generateInput(`${seed} to warm up`, index, scene),
  })
}

export interface RunOptions {
  /** How long an input may wait for its answer. */
  readonly giveUpMs?: number
}

export async function createRun(subject: Subject, { giveUpMs = GIVE_UP_MS }: RunOptions = {}) {
  const failures: Failure[] = []
  const tally = { count: 0, byContract: 0, slowestProbeMs: 0, statuses: {} as Record<string, number> }
  const foreignSessionId = await createSession({ url: subject.url, key: subject.foreignKey })
  const goesOn = (): boolean => failures.length < MOST_FAILURES && subject.isRunning && subject.complaints === ''

  const record = (input: BadInput, index: number, outcome: Outcome): void => {
    tally.count += 1
    for (const response of outcome.responses) {
      tally.statuses[response.status] = (tally.statuses[response.status] ?? 0) + 1
      if (isByContract(response)) tally.byContract += 1
    }
    const complaints = judgeOutcome(input, outcome)
    if (complaints.length > 0) failures.push({ index, kind: input.kind, complaints })
  }

  const work = async (left: number[], make: MakeInput, onSent: () => void): Promise<void> => {
    const worker = await createWorker(subject, { foreignSessionId, giveUpMs })
    try {
      for (let index = left.pop(); index !== undefined && goesOn(); index = left.pop()) {
        const input = make(index, worker.scene)
        record(input, index, await worker.send(input))
        onSent()
      }
    } finally {
      worker.close()
    }
  }

  /** While the inputs are sent, the probe keeps coming by. */
  const sendAll = async (indexes: readonly number[], { make, workers }: Batch): Promise<ProbeRound> => {
    const left = indexes.toReversed()
    const probing: Promise<ProbeRound>[] = []
    let sent = 0
    const onSent = (): void => {
      if (sent % INPUTS_PER_PROBE === 0) probing.push(sendProbe(subject))
      sent += 1
    }
    const ends = await Promise.allSettled(Array.from({ length: workers }, () => work(left, make, onSent)))
    const rounds = await Promise.all(probing)
    return {
      complaints: [
        ...ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : [])),
        ...rounds.flatMap(({ complaints }) => complaints),
        ...(await lookAfterwards(subject).catch((error: unknown) => [String(error)])),
      ],
      late: rounds.flatMap(({ late }) => late),
      slowestMs: Math.max(0, ...rounds.map(({ slowestMs }) => slowestMs)),
    }
  }

  const sendBatch = async (indexes: readonly number[], batch: Batch): Promise<void> => {
    let round = await sendAll(indexes, batch)
    // Somebody else may have had the machine for a moment. What the inputs themselves cause, they cause again.
    if (round.late.length > 0 && round.complaints.length === 0 && goesOn()) round = await sendAll(indexes, batch)
    tally.slowestProbeMs = Math.max(tally.slowestProbeMs, round.slowestMs)
    const complaints = [...round.complaints, ...round.late]
    if (complaints.length > 0) await subject.ended(ENDS_WITHIN_MS)
    if (!subject.isRunning) complaints.push('the server has ended')
    if (subject.complaints !== '') complaints.push(`the server complains: ${subject.complaints.slice(0, 4000)}`)
    if (complaints.length === 0) return
    failures.push({ index: indexes[0] ?? 0, kind: `the batch of ${indexes.length} from here`, complaints })
  }
  return { failures, tally, goesOn, sendBatch }
}

/** What the inputs have left behind. */
async function lookAfterwards(subject: Subject): Promise<string[]> {
  const complaints = await readBack(subject, WORKERS)
  const { strangeNames, warnings } = await askWitness(subject.witness)
  return [...complaints, ...strangeNames.map((name) => `there is a ${name} now`), ...warnings]
}

// Ten users store to their limits while one other works. Phases with and without them alternate, so that what else the
// machine does meets both alike.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { percentile } from '../streams/support/measure-delay.ts'
import { readMetric } from '../streams/support/read-metric.ts'

const PROGRAM = fileURLToPath(new URL('programs/store-much.ts', import.meta.url))
const LOOK_EVERY_MS = 50

export interface Storing {
  readonly users: number
  /** Requests of one user at the same time. */
  readonly atOnce: number
  readonly bytes: number
  /** Pairs of phases. */
  readonly rounds: number
  readonly phaseMs: number
}

export interface StoringResult {
  /** Of one turn of the user who works, in milliseconds. */
  readonly quiet: Delays
  readonly amid: Delays
  /** By status. */
  readonly answers: Readonly<Record<string, number>>
  readonly residentBytes: { readonly before: number; readonly peak: number }
}

interface Delays {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly most: number
}

export async function storeWhileOneWorks(server: ServerProcess, storing: Storing): Promise<StoringResult> {
  const keys = await Promise.all(
    Array.from({ length: storing.users }, (_, index) => server.createKey(`storer-${index}`)),
  )
  const { id, client } = await openSession(server.client(V3, await server.createKey('worker')))
  const work = async (into: number[], forMs: number): Promise<void> => {
    const until = performance.now() + forMs
    while (performance.now() < until) {
      const startedAt = performance.now()
      const { status, text } = await client.turn(id, { messages: [{ role: 'user', content: 'say x' }] })
      if (status !== 200) throw new Error(`the user who works was refused: ${status} ${text}`)
      into.push(performance.now() - startedAt)
    }
  }
  await work([], storing.phaseMs)
  const before = await readMetric(server, 'process_resident_memory_bytes')
  let peak = before
  let answers: StoringResult['answers'] = {}
  const [quiet, amid]: [number[], number[]] = [[], []]
  await using storers = await startStorers({ url: server.url, keys, atOnce: storing.atOnce, bytes: storing.bytes })
  const over = new AbortController()
  const watching = watch(over.signal, async () => {
    peak = Math.max(peak, await readMetric(server, 'process_resident_memory_bytes'))
  })
  for (let round = 0; round < storing.rounds; round += 1) {
    await work(quiet, storing.phaseMs)
    await storers.tell('go')
    await work(amid, storing.phaseMs)
    answers = await storers.tell('rest')
    // What was under way is still answered.
    await delay(storing.phaseMs / 2)
  }
  over.abort()
  await watching
  return { quiet: toDelays(quiet), amid: toDelays(amid), answers, residentBytes: { before, peak } }
}

interface Storers extends AsyncDisposable {
  tell(word: 'go' | 'rest'): Promise<Readonly<Record<string, number>>>
}

async function startStorers(order: object): Promise<Storers> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(order)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  await once(lines, 'line')
  return {
    async tell(word) {
      const answered = once(lines, 'line')
      child.stdin.write(`${word}\n`)
      const [line] = (await answered) as [string]
      return JSON.parse(line) as Readonly<Record<string, number>>
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function watch(stop: AbortSignal, look: () => Promise<void>): Promise<void> {
  while (!stop.aborted) {
    await look()
    await delay(LOOK_EVERY_MS)
  }
}

function toDelays(values: readonly number[]): Delays {
  const round = (value: number): number => Math.round(value * 10) / 10
  return {
    count: values.length,
    p50: round(percentile(values, 0.5)),
    p99: round(percentile(values, 0.99)),
    most: round(Math.max(...values)),
  }
}

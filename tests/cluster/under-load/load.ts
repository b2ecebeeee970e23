// Clients that start turns and watch them, at any node, while something happens to the nodes or their database.
import { setTimeout as delay } from 'node:timers/promises'
import { asSessionId } from '@polylogue/engine'
import { openPostgresStores } from '@polylogue/store-postgres'
import { checkHistory } from '../../checker/check-history.ts'
import { parseId, toReaderHistories } from '../../crash/seen-by-client.ts'
import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import type { CountingAgent } from '../../support/counting-agent.ts'
import type { Answer } from '../../support/http-exchange.ts'
import { NEXT, call, script } from '../../support/script.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import type { Frame } from '../../support/sse-parser.ts'
import { readWholeLog } from '../../support/read-whole-log.ts'

export interface LoadOptions {
  /** The nodes that serve now. */
  nodes(): readonly ServerProcess[]
  readonly key: string
  /** Of the database, for the judgement. */
  readonly url: string
  readonly counting: CountingAgent
  readonly sessions: number
  /** How long the model takes for each of its two answers. Default: nothing. */
  readonly modelMs?: number
  /** Called with what is wrong with the answer to a turn. Default: only success counts. */
  complain?(what: string): void
}

export interface Load {
  readonly turns: number
  /** Lets the turns end and returns what does not hold. */
  finish(): Promise<readonly string[]>
}

interface Watched {
  readonly id: string
  readonly runs: string[]
  readonly frames: Frame[]
}

const PAUSE_MS = 50
/** A node looks for missed events of a session at rest every 30 seconds. */
const TRY_FOR_MS = 180_000

export async function startLoad(options: LoadOptions): Promise<Load> {
  const { nodes, key, counting, sessions } = options
  let isOver = false
  let areTurnsOver = false
  let areTurnsSeen = false
  let turn = 0
  const next = (): ServerProcess => {
    const all = nodes()
    const node = all[turn++ % all.length]
    if (node === undefined) throw new Error('there is no node')
    return node
  }
  const keepTrying = async (attempt: () => Promise<boolean>, what: string): Promise<void> => {
    const giveUpAt = performance.now() + TRY_FOR_MS
    while (!(await attempt().catch(() => false))) {
      if (performance.now() > giveUpAt) throw new Error(`timed out: ${what}`)
      await delay(PAUSE_MS)
    }
  }
  const watched = await Promise.all(
    Array.from({ length: sessions }, async (): Promise<Watched> => {
      const tools = [{ name: 'count', trust: true }]
      const { id } = await openSession(next().client(V3, key), { agent: 'counting', tools })
      return { id, runs: [], frames: [] }
    }),
  )
  const work = watched.map(async ({ id, runs }) => {
    while (!isOver) {
      const run = counting.nextRun()
      const body = { messages: [{ role: 'user', content: contentOf(run, options) }] }
      await keepTrying(async () => {
        const answer = await next().client(V3, key).turn(id, body, { 'idempotency-key': run })
        const problem = problemOf(answer)
        if (problem !== undefined) options.complain?.(problem)
        return answer.status === 200
      }, `the turn ${run} is answered`)
      runs.push(run)
    }
  })
  const isSeen = ({ runs, frames }: Watched): boolean =>
    frames.filter(({ event }) => event === 'turn_stop').length >= runs.length
  const watching = watched.map(async (one) => {
    const isDone = (): boolean => areTurnsSeen || (areTurnsOver && isSeen(one))
    while (!isDone()) {
      const { id, frames } = one
      await follow(next(), { key, id, frames, isDone }).catch(() => undefined)
      await delay(PAUSE_MS)
    }
  })
  return {
    get turns() {
      return watched.reduce((sum, { runs }) => sum + runs.length, 0)
    },
    async finish() {
      isOver = true
      await Promise.all(work)
      areTurnsOver = true
      const missed = await keepTrying(async () => watched.every(isSeen), 'every watcher sees all turns').then(
        () => [],
        (error: unknown) => [String(error)],
      )
      areTurnsSeen = true
      await Promise.all(watching)
      return [...missed, ...(await judge(options, watched))]
    },
  }
}

/** A turn that its client repeats may still run. Everything else that is refused can be tried again. */
function problemOf({ status, headers, text }: Answer): string | undefined {
  if (status === 200) return /"outcome":"failed"|internal error/i.test(text) ? `a turn failed: ${text}` : undefined
  if (status === 409) return undefined
  if (status === 503 && headers['retry-after'] !== undefined && /\w+ \w+/.test(text)) return undefined
  return `a turn is answered with ${status} ${text}`
}

function contentOf(run: string, { modelMs }: Pick<LoadOptions, 'modelMs'>): string {
  const thinks = modelMs === undefined ? [] : [`say ${run} begins`, `sleep ${modelMs}`]
  return script(...thinks, call(`c-${run}`, 'count', { run }), NEXT, ...thinks, `say ${run}`)
}

interface Following {
  readonly key: string
  readonly id: string
  readonly frames: Frame[]
  isDone(): boolean
}

async function follow(node: ServerProcess, { key, id, frames, isDone }: Following): Promise<void> {
  const stream = await node.client(V3, key).events(id, `?follow=1&after=${frames.at(-1)?.id ?? '0'}`)
  if (stream.status !== 200) return
  const before = [...frames]
  const take = (): void => void frames.splice(0, frames.length, ...before, ...stream.frames)
  const ended = stream.finished().catch(() => undefined)
  const isOver = Symbol('over')
  while ((await Promise.race([ended.then(() => isOver), delay(PAUSE_MS)])) !== isOver) {
    take()
    if (isDone()) stream.cut()
  }
  take()
}

async function judge(options: LoadOptions, watched: readonly Watched[]): Promise<readonly string[]> {
  const { url, counting } = options
  const clock = { now: () => Date.now(), setTimer: () => ({ cancel: () => undefined }) }
  const stores = await openPostgresStores({ url, clock })
  try {
    const complaints: string[] = []
    for (const { id, runs, frames } of watched) {
      const sessionId = asSessionId(id)
      const snapshot = await stores.events.readSnapshot(sessionId)
      const times = await Promise.all(runs.map((run) => counting.timesRun(run)))
      const [first] = frames
      const stored = await readWholeLog(stores.events, sessionId)
      for (const { seq, event } of stored) {
        if (event.type !== 'turn.ended' || event.outcome === 'finished') continue
        complaints.push(`${id}: the turn that ends with event ${seq} is ${event.outcome}: ${JSON.stringify(event)}`)
      }
      const violations = checkHistory({
        stored,
        ...(snapshot && { snapshot }),
        acknowledged: runs.map((run) => ({ type: 'input', text: contentOf(run, options) })),
        readers: first === undefined ? [] : toReaderHistories(frames, Math.min(parseId(first).seq - 1, 0)),
        epochs: [],
        effects: runs.flatMap((run, index) => Array.from({ length: times[index] ?? 0 }, () => `c-${run}`)),
        toolEffects: { count: 'unsafe' },
      })
      complaints.push(...violations.map(({ invariant, message }) => `${id}: ${invariant}: ${message}`))
    }
    return complaints
  } finally {
    await stores.close()
  }
}

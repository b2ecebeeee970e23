// A server that is told to stop while it has much to do, and the one that comes after it.
import { fileURLToPath } from 'node:url'
import { checkHistory } from '../checker/check-history.ts'
import { toReaderHistories } from '../crash/seen-by-client.ts'
import { readStoredSession } from '../crash/stored-session.ts'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import type { AapClient } from '../support/aap-client.ts'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { type CountingAgent, prepareCountingAgent } from '../support/counting-agent.ts'
import { textOf } from '../support/played-turn.ts'
import { NEXT, call, script } from '../support/script.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import type { Frame } from '../support/sse-parser.ts'
import type { SseStream } from '../support/sse-stream.ts'
import { createTempDir } from '../support/temp-dir.ts'

const CONFIG = fileURLToPath(new URL('support/drain.config.ts', import.meta.url))

export interface DrainPlan {
  readonly turns: number
  /** Of all turns together; at least one for each. */
  readonly streams: number
  /** How long a turn rests in its middle: from, to. */
  readonly restMs: readonly [number, number]
  /** SIGTERM if absent. */
  readonly signal?: 'SIGTERM' | 'SIGINT'
  /** The second signal follows the first after this; without it there is one. */
  readonly secondAfterMs?: number
  readonly seed: string
}

export interface DrainResult {
  readonly exitCode: number | null
  readonly exitMs: number
  /** Turns that the first server told their clients the end of. */
  readonly finishedBefore: number
  /** What does not hold, in sentences. */
  readonly complaints: readonly string[]
}

interface Conversation {
  readonly id: string
  readonly number: number
  readonly runs: readonly [string, string]
  readonly streams: SseStream[]
  readonly logs: (readonly Frame[])[]
}

export async function drain(plan: DrainPlan): Promise<DrainResult> {
  const dir = await createTempDir()
  const counting = await prepareCountingAgent()
  const start = (): Promise<ServerProcess> =>
    startServerProcess({ dataDir: dir.path, flags: ['--config', CONFIG], environment: counting.environment })
  const servers: ServerProcess[] = [await start()]
  try {
    const [first] = servers
    if (!first) throw new Error('there is no server')
    const conversations = await beginAll(first.client(V3), counting, plan)
    const { exitCode, exitMs } = await signal(first, plan)
    await Promise.all(conversations.map(noteWhatWasTold))
    const finishedBefore = conversations.filter(hasStopped).length

    const second = await start()
    servers.push(second)
    await Promise.all(conversations.map((conversation) => readOn(second.client(V3), conversation)))
    const complaints = await Promise.all(
      conversations.map((conversation) => judge(second.client(V3), conversation, counting)),
    )
    await second.kill()
    const violations = await Promise.all(conversations.map((conversation) => check(dir.path, conversation)))
    return { exitCode, exitMs, finishedBefore, complaints: [...complaints, ...violations].flat() }
  } finally {
    for (const server of servers) await server.kill()
    await counting.remove()
    await dir.remove()
  }
}

async function beginAll(client: AapClient, counting: CountingAgent, plan: DrainPlan): Promise<readonly Conversation[]> {
  const random = createSeededRandom(plan.seed)
  const [from, to] = plan.restMs
  const watchers = Math.floor(plan.streams / plan.turns) - 1
  return Promise.all(
    Array.from({ length: plan.turns }, async (_, number) => {
      const restMs = from + random.int(to - from + 1)
      const runs = [counting.nextRun(), counting.nextRun()] as const
      const { id } = await openSession(client, { agent: 'counting', tools: [{ name: 'count', trust: true }] })
      const watching = await Promise.all(Array.from({ length: watchers }, () => client.events(id, '?follow=1')))
      const content = script(
        ...[`say begin ${number}`, call(`a${number}`, 'count', { run: runs[0] })],
        ...[NEXT, 'say rest', `sleep ${restMs}`, 'say and go on', call(`b${number}`, 'count', { run: runs[1] })],
        ...[NEXT, `say end ${number}`],
      )
      const body = { stream: 'delta', messages: [{ role: 'user', content }] }
      const stream = await client.streamTurn(id, body, { 'idempotency-key': id })
      await stream.until(({ data }) => String(data['delta']).startsWith('rest'))
      return { id, number, runs, streams: [stream, ...watching], logs: [] }
    }),
  )
}

async function signal(
  server: ServerProcess,
  { signal: name = 'SIGTERM', secondAfterMs }: DrainPlan,
): Promise<Pick<DrainResult, 'exitCode' | 'exitMs'>> {
  const startedAt = performance.now()
  if (secondAfterMs !== undefined) {
    process.kill(server.pid, name)
    await new Promise((resolve) => setTimeout(resolve, secondAfterMs))
  }
  const exitCode = await server.stop(name)
  return { exitCode, exitMs: performance.now() - startedAt }
}

/** Every stream has ended by now, in whatever way. */
async function noteWhatWasTold({ streams, logs }: Conversation): Promise<void> {
  await Promise.allSettled(streams.map((stream) => stream.finished()))
  logs.push(...streams.map(({ frames }) => frames))
}

function hasStopped({ logs }: Conversation): boolean {
  return logs.some((frames) => frames.some(({ event }) => event === 'turn_stop'))
}

/** From where the client of the turn was. */
async function readOn(client: AapClient, { id, logs }: Conversation): Promise<void> {
  const [own = []] = logs
  if (own.at(-1)?.event === 'turn_stop') return
  const rest = await (await client.events(id, `?after=${own.at(-1)?.id ?? 0}`)).finished()
  logs[0] = [...own, ...rest]
}

async function judge(client: AapClient, { id, number, runs, logs }: Conversation, counting: CountingAgent) {
  const complain = (what: string): string => `turn ${number}: ${what}`
  const history = await client.history(id, 'full')
  const stop = logs[0]?.at(-1)
  const inputs = history.filter(({ role }) => role === 'user').length
  const times = await Promise.all(runs.map((run) => counting.timesRun(run)))
  const isUnknown = JSON.stringify(history).includes('Outcome unknown')
  return [
    ...(stop?.data['stopReason'] === 'end_turn' ? [] : [complain(`its client was told ${JSON.stringify(stop?.data)}`)]),
    ...(inputs === 1 ? [] : [complain(`its input is there ${inputs} times`)]),
    ...(textOf(history.slice(-1)) === `end ${number}` ? [] : [complain('its end is not in the history')]),
    ...times.flatMap((count) =>
      count === 1 || (count < 1 && isUnknown) ? [] : [complain(`a tool ran ${count} times`)],
    ),
  ]
}

/** The checker's judgement: what the clients saw against what is stored. */
async function check(dataDir: string, { id, number, logs }: Conversation): Promise<readonly string[]> {
  const { stored, snapshot, drafts } = await readStoredSession(dataDir, id)
  const violations = checkHistory({
    stored,
    ...(snapshot && { snapshot }),
    acknowledged: [],
    readers: logs.flatMap((frames) => (frames.length === 0 ? [] : toReaderHistories(frames, 0))),
    epochs: [],
    effects: [],
    toolEffects: {},
  })
  return [
    ...violations.map(({ invariant, message }) => `turn ${number}: ${invariant}: ${message}`),
    ...(drafts.length === 0 ? [] : [`turn ${number}: ${drafts.length} drafts are left over`]),
  ]
}

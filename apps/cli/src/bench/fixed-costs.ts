import { percentile, round, type BenchRow } from './bench-result.ts'
import { startBareHono, startLeast, startPolylogue, type ChildServer } from './child-server.ts'
import { startLoadClients, type LoadClients } from './load-clients.ts'
import type { LoadName, LoadResult } from './load.ts'

const CLIENTS = 32
const ROUNDS = 5
/** V8 compiles code during the first twenty-five thousand turns, on threads whose CPU time counts. */
const WARM_UPS = 24
const QUICK_WARM_UPS = 2
/** Of rows without a budget, each before and while it is measured. */
const UNBUDGETED_ROUNDS = 3
/** Against another server, where a few percent matter: single rounds differ by more. */
const COMPARED_ROUNDS = 25
const LONG_SESSION_TURNS = 1000

interface FixedCost {
  readonly load: LoadName
  readonly title: string
  /** Requests of every client in one round. */
  readonly times: number
  /** The limit to compare with. Without one the row is informational. */
  readonly against?: 'least' | 'hono'
  readonly leastRatio?: number
  readonly mostCpuMs?: number
  /** The allowed time to the first byte, as a multiple of the baseline. */
  readonly mostFirstByte?: number
}

const COSTS: readonly FixedCost[] = [
  {
    load: 'turn-none',
    title: 'Turn without a stream, one word',
    times: 40,
    against: 'least',
    leastRatio: 0.4,
    mostCpuMs: 0.2,
  },
  {
    load: 'turn-deltas',
    title: 'Turn with 100 streamed deltas',
    times: 20,
    against: 'least',
    leastRatio: 0.7,
    mostCpuMs: 0.55,
    mostFirstByte: 1.5,
  },
  {
    load: 'turn-tool',
    title: 'Turn with one trusted tool call',
    times: 30,
    against: 'least',
    leastRatio: 0.4,
    mostCpuMs: 0.35,
  },
  { load: 'turn-client-tool', title: 'Turn with one client tool call, both requests', times: 20 },
  { load: 'turn-approval', title: 'Turn with one approval, both requests', times: 20 },
  { load: 'create', title: 'Create a session', times: 40 },
  { load: 'list', title: 'List one page of sessions', times: 20 },
  { load: 'get', title: 'GET a session', times: 150, against: 'hono', leastRatio: 0.7 },
  { load: 'meta', title: 'GET /meta', times: 150, against: 'hono', leastRatio: 0.7 },
  { load: 'history', title: 'Read the full history of 1,000 turns', times: 1 },
]

interface Measured extends LoadResult {
  readonly cpuMs: number
}

/** Fixed costs of requests with 32 clients. The limit runs in the same round, under the same machine load. */
export async function measureFixedCosts(isQuick: boolean): Promise<readonly BenchRow[]> {
  await using stack = new AsyncDisposableStack()
  const ours = stack.adopt(await startPolylogue(), (server) => server.stop())
  const least = stack.adopt(await startLeast(), (server) => server.stop())
  const hono = stack.adopt(await startBareHono(), (server) => server.stop())
  const clients = stack.adopt(startLoadClients(), (started) => started.close())
  const rows: BenchRow[] = []
  const ofRaw: RawRound[] = []
  for (const cost of COSTS) {
    const limit = cost.against === 'least' ? least : cost.against === 'hono' ? hono : undefined
    if (cost.against === 'hono') await copyAnswer(cost.load, ours, hono)
    const compare = async ({ perSecond }: Measured): Promise<void> => {
      if (cost.load === 'turn-none') ofRaw.push({ perSecond, raw: await rawTurnsPerSecond(least) })
    }
    rows.push(toRow(cost, await measure(cost, { ours, limit, clients, compare }, roundsOf(cost, isQuick))))
  }
  return [...rows, compareWithRaw(ofRaw)]
}

/** Any server that speaks AAP v3, with an agent that answers at once. */
export interface OtherServer {
  readonly url: URL
  readonly key: string
  readonly agent: string
}

/** Alternates the same loads on our server and another one. Skips loads that need our own tools. */
export async function measureAgainst(other: OtherServer, isQuick: boolean): Promise<readonly BenchRow[]> {
  await using stack = new AsyncDisposableStack()
  const ours = stack.adopt(await startPolylogue(), (server) => server.stop())
  const clients = stack.adopt(startLoadClients(), (started) => started.close())
  const rows: BenchRow[] = []
  for (const cost of COSTS.filter(({ load }) => !/tool|approval/.test(load))) {
    const rounds = isQuick ? roundsOf(cost, isQuick) : ([WARM_UPS, COMPARED_ROUNDS] as const)
    const { ours: mine, limit: theirs } = await measure(cost, { ours, limit: other, clients }, rounds)
    const [rate, their] = [mine, theirs].map((of) =>
      percentile(
        of.map(({ perSecond }) => perSecond),
        0.5,
      ),
    )
    const ratio = (rate ?? 0) / (their ?? Number.NaN)
    rows.push({
      name: `${cost.title}, ${CLIENTS} clients`,
      measured: `${round(rate ?? 0, 0)}/s, ${round(ratio)} × the other server's ${round(their ?? 0, 0)}/s`,
      budget: 'none: for comparison',
      isMet: true,
      figures: { perSecond: round(rate ?? 0, 1), otherPerSecond: round(their ?? 0, 1), ratio: round(ratio, 3) },
    })
  }
  return rows
}

interface Sides {
  readonly ours: ChildServer
  readonly limit: ChildServer | OtherServer | undefined
  readonly clients: LoadClients
  /** Called after each measured round of the baseline. */
  compare?(result: Measured): Promise<void>
}

interface Rounds {
  readonly ours: readonly Measured[]
  readonly limit: readonly Measured[]
}

type RoundCounts = readonly [warmUps: number, rounds: number]

function roundsOf({ against }: FixedCost, isQuick: boolean): RoundCounts {
  if (isQuick) return [QUICK_WARM_UPS, 2]
  return against === undefined ? [UNBUDGETED_ROUNDS, UNBUDGETED_ROUNDS] : [WARM_UPS, ROUNDS]
}

async function measure(
  cost: FixedCost,
  { ours, limit, clients, compare }: Sides,
  [warmUps, rounds]: RoundCounts,
): Promise<Rounds> {
  const runOn = async (server: ChildServer | OtherServer): Promise<Measured> => {
    const cpuMicros = async (): Promise<number> => ('cpuMicros' in server ? await server.cpuMicros() : Number.NaN)
    const agent = 'agent' in server ? server.agent : 'scripted'
    const before = await cpuMicros()
    const job = { url: server.url.href, key: server.key, agent, load: cost.load, clients: CLIENTS }
    const result = await clients.run({ ...job, rounds: cost.times, turns: LONG_SESSION_TURNS })
    return { ...result, cpuMs: ((await cpuMicros()) - before) / 1000 / result.rounds }
  }
  for (let index = 0; index < warmUps; index++) {
    await runOn(ours)
    if (limit) await runOn(limit)
  }
  const measured: { ours: Measured[]; limit: Measured[] } = { ours: [], limit: [] }
  for (let index = 0; index < rounds; index++) {
    measured.ours.push(await runOn(ours))
    if (limit === undefined) continue
    const result = await runOn(limit)
    measured.limit.push(result)
    await compare?.(result)
  }
  return measured
}

function toRow(cost: FixedCost, { ours, limit }: Rounds): BenchRow {
  const median = (of: readonly Measured[], figure: keyof Measured): number =>
    percentile(
      of.map((one) => one[figure]),
      0.5,
    )
  const [rate, cpuMs, firstByte] = [median(ours, 'perSecond'), median(ours, 'cpuMs'), median(ours, 'firstByteP50Ms')]
  const ratio = percentile(
    ours.map((one, index) => one.perSecond / (limit[index]?.perSecond ?? Number.NaN)),
    0.5,
  )
  const slower = firstByte / median(limit, 'firstByteP50Ms')
  const conditions: readonly (readonly [text: string, isMet: boolean])[] = [
    ...(cost.leastRatio === undefined
      ? []
      : [
          [
            `≥ ${cost.leastRatio} × the baseline of ${round(median(limit, 'perSecond'), 0)}/s`,
            ratio >= cost.leastRatio,
          ] as const,
        ]),
    ...(cost.mostCpuMs === undefined ? [] : [[`CPU ≤ ${cost.mostCpuMs} ms`, cpuMs <= cost.mostCpuMs] as const]),
    ...(cost.mostFirstByte === undefined
      ? []
      : [[`first byte ≤ ${cost.mostFirstByte} × the baseline`, slower <= cost.mostFirstByte] as const]),
  ]
  return {
    name: `${cost.title}, ${CLIENTS} clients`,
    measured: [
      `${round(rate, 0)}/s`,
      ...(limit.length > 0 ? [`${round(ratio)} × the baseline`] : []),
      `CPU ${round(cpuMs, 3)} ms${limit.length > 0 ? ` (baseline ${round(median(limit, 'cpuMs'), 3)} ms)` : ''}`,
      ...(cost.mostFirstByte === undefined
        ? []
        : [`first byte p50 ${round(firstByte)} ms, ${round(slower)} × the baseline`]),
    ].join(', '),
    budget: conditions.map(([text]) => text).join(', ') || 'none: for comparison',
    isMet: conditions.every(([, isMet]) => isMet),
    figures: {
      perSecond: round(rate, 1),
      cpuMs: round(cpuMs, 4),
      firstByteP50Ms: round(firstByte, 3),
      ...(limit.length > 0 && { limitPerSecond: round(median(limit, 'perSecond'), 1), ratio: round(ratio, 3) }),
    },
  }
}

const LEAST_OF_RAW = 0.8

interface RawRound {
  /** The turns of the least program. */
  readonly perSecond: number
  /** The turns that its commits alone would allow, measured right after. */
  readonly raw: number
}

async function rawTurnsPerSecond(least: ChildServer): Promise<number> {
  const answer = (await (await fetch(new URL('/raw', least.url))).json()) as { readonly turnsPerSecond: number }
  return answer.turnsPerSecond
}

/** What the least program costs beside its commits. */
function compareWithRaw(rounds: readonly RawRound[]): BenchRow {
  const median = (figure: (one: RawRound) => number): number => percentile(rounds.map(figure), 0.5)
  const [rate, raw] = [median(({ perSecond }) => perSecond), median((one) => one.raw)]
  const ratio = median((one) => one.perSecond / one.raw)
  return {
    name: 'The least durable program, compared with its commits alone',
    measured: `${round(rate, 0)} turns/s, ${round(ratio)} × its commits alone`,
    budget: `≥ ${LEAST_OF_RAW} × ${round(raw, 0)} turns/s`,
    isMet: ratio >= LEAST_OF_RAW,
    figures: { leastPerSecond: round(rate, 1), rawTurnsPerSecond: round(raw, 1), ratio: round(ratio, 3) },
  }
}

/** Makes bare Hono answer with the bytes of our own answer. */
async function copyAnswer(load: LoadName, ours: ChildServer, hono: ChildServer): Promise<void> {
  const headers = { authorization: `Bearer ${ours.key}`, 'content-type': 'application/json' }
  const made = await fetch(new URL('/aap/v3/sessions', ours.url), {
    method: 'POST',
    headers,
    body: JSON.stringify({ agent: { name: 'scripted', tools: [{ name: 'echo' }] } }),
  })
  const { sessionId } = (await made.json()) as { sessionId: string }
  const path = load === 'meta' ? '/aap/v3/meta' : `/aap/v3/sessions/${sessionId}`
  const body = await (await fetch(new URL(path, ours.url), { headers })).text()
  await fetch(new URL(`/body?load=${load}`, hono.url), { method: 'PUT', headers, body })
}

// Turns whose model's provider does everything wrong, through the whole server.
import { randomUUID } from 'node:crypto'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import type { AapClient } from '../support/aap-client.ts'
import { type AapSession, openSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import { textOf } from '../support/played-turn.ts'
import { FAULT_KINDS, type FakeModelServer, type FaultKind } from './support/fake-model-server.ts'

/** What the client does while the provider says nothing. */
export type Patience = 'waits' | 'leaves' | 'cancels'

export interface ProviderCase {
  readonly kind: FaultKind
  /** Which variant of the fault: at which chunk, how often, with which text. */
  readonly number: number
  readonly patience: Patience
}

export interface Suffering {
  /** From the client's last word, or from the deadline, to the end of the connection to the provider. */
  readonly closedAfterMs: number | undefined
  readonly complaints: readonly string[]
}

const OUTCOMES: Readonly<Record<FaultKind, readonly string[]>> = {
  silence: ['error'],
  // Before the first word a lost connection is tried again, and lost again.
  cut: ['error'],
  unfinished: ['error'],
  empty: ['error'],
  garbage: ['error'],
  'too-many': ['end_turn'],
  overloaded: ['end_turn'],
  'same-ids': ['end_turn'],
  'bad-json': ['end_turn'],
  interleaved: ['end_turn'],
  huge: ['end_turn', 'error'],
}

export const describeCase = ({ kind, number, patience }: ProviderCase): string =>
  `${kind} ${number}, client ${patience}`

/** One turn with this fault, then one without, in the same session. */
export async function suffer(client: AapClient, provider: FakeModelServer, one: ProviderCase): Promise<Suffering> {
  const session = await openSession(client, { agent: 'faulty', tools: [{ name: 'echo', trust: true }] })
  const tag = randomUUID()
  const complaints: string[] = []
  const content = `fault ${one.kind} ${one.number} ${tag}`
  let closedAfterMs: number | undefined
  if (one.patience === 'waits') {
    const { stopReason } = await session.turn(content)
    if (!OUTCOMES[one.kind].includes(stopReason)) complaints.push(`the turn ended as ${stopReason}`)
  } else {
    const stream = await session.stream('delta', content)
    await provider.hung(tag)
    if (one.patience === 'leaves') stream.cut()
    else await client.cancel(session.id)
    const leftAt = performance.now()
    await provider.left(tag)
    closedAfterMs = performance.now() - leftAt
    if (one.patience === 'cancels') {
      const stop = (await stream.finished()).at(-1)
      if (stop?.data['cancelled'] !== true) complaints.push(`the cancelled turn ended as ${JSON.stringify(stop?.data)}`)
    }
  }
  complaints.push(...(await findUnusable(session)))
  return { closedAfterMs, complaints: complaints.map((complaint) => `${describeCase(one)}: ${complaint}`) }
}

/** As soon as the session rests, it takes the next turn; the provider judges whether the history is a valid one. */
async function findUnusable(session: AapSession): Promise<readonly string[]> {
  const answer = await eventually(async () => {
    const { status, body } = await session.client.turn(session.id, {
      messages: [{ role: 'user', content: 'and now?' }],
    })
    return status === 409 ? undefined : { status, body }
  }, 'the session rests')
  const { status, body } = answer
  const isFine = status === 200 && body.stopReason === 'end_turn' && textOf(body.messages) === 'fine'
  return isFine ? [] : [`the next turn was answered with ${status} ${JSON.stringify(body).slice(0, 300)}`]
}

const PATIENCES: readonly Patience[] = ['waits', 'leaves', 'cancels']

/** So many different ones, the same for the same seed. Every third has a provider that falls silent. */
export function chooseCases(count: number, seed: string): readonly ProviderCase[] {
  const random = createSeededRandom(seed)
  const others = FAULT_KINDS.filter((kind) => kind !== 'silence' && kind !== 'huge')
  return Array.from({ length: count }, (_, index): ProviderCase => {
    const number = random.int(100)
    if (index % 3 === 0) return { kind: 'silence', number, patience: PATIENCES[(index / 3) % 3] ?? 'waits' }
    return { kind: others[index % others.length] ?? 'empty', number, patience: 'waits' }
  })
}

/** All cases, so many at a time. */
export async function sufferAll(
  client: AapClient,
  provider: FakeModelServer,
  { cases, atATime }: { readonly cases: readonly ProviderCase[]; readonly atATime: number },
): Promise<readonly Suffering[]> {
  const waiting = [...cases]
  const sufferings: Suffering[] = []
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const name = describeCase(one)
      sufferings.push(
        await suffer(client, provider, one).catch((error: unknown) => ({
          closedAfterMs: undefined,
          complaints: [`${name}: ${String(error)}`],
        })),
      )
    }
  }
  await Promise.all(Array.from({ length: atATime }, work))
  return sufferings
}

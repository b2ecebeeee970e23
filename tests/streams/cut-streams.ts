// One answer, told over a connection that breaks after any byte, and put together again from what arrived.
import { isDeepStrictEqual } from 'node:util'
import { gist } from '../aap/gist.ts'
import type { AapClient } from '../support/aap-client.ts'
import { type Dialect, V1, V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import type { Exchange } from '../support/http-exchange.ts'
import { NEXT, call, script } from '../support/script.ts'
import type { Frame } from '../support/sse-parser.ts'
import { startFaultProxy } from './support/fault-proxy.ts'
import { type ReadTurn, type Reading, readThroughCuts } from './support/resuming-client.ts'
import { throughProxy } from './support/through-proxy.ts'

const TOOLS = [{ name: 'echo', trust: true }]

/**
 * Every kind of event, several steps, and characters of one to four bytes in every place where text can stand. It rests
 * now and then, so that a client is back before the turn is over.
 */
export const TALK = script(
  ...['think Zuerst nachdenken — 先想一想 🤔', 'sleep 5', 'say Grüße 你好 👩‍👩‍👧 נ שלום'],
  ...[
    call('c1', 'echo', { msg: `čaj\r\n\r\nid: 1\n\ndata: ☕️ ${'é'.repeat(300)}` }),
    call('c2', 'echo', { msg: '🧵' }),
  ],
  ...[
    NEXT,
    'think второй шаг',
    'sleep 5',
    'say mid\u2028dle 😀😀',
    call('c3', 'echo', { msg: `${'日本'.repeat(150)}` }),
  ],
  ...[NEXT, `say ${'x'.repeat(400)} …und Schluß. 🏁`],
)

/** A way in which a client reads a turn. */
export interface Way {
  readonly dialect: Dialect
  readonly mode: 'delta' | 'message'
  /** The turn runs while it is read, or is over already. */
  readonly turn: 'running' | 'finished'
  /** Where a client that comes back says how far it came. */
  readonly cursor: 'query' | 'header'
}

export const WAYS: readonly Way[] = [
  { dialect: V3, mode: 'delta', turn: 'running', cursor: 'query' },
  { dialect: V3, mode: 'delta', turn: 'finished', cursor: 'header' },
  { dialect: V1, mode: 'message', turn: 'running', cursor: 'header' },
  { dialect: V1, mode: 'message', turn: 'finished', cursor: 'query' },
]

export const describeWay = ({ dialect, mode, turn, cursor }: Way): string =>
  `${dialect.name}, ${mode} mode, ${turn} turn, cursor in the ${cursor}`

export interface CutStreams extends AsyncDisposable {
  /** Bytes of the whole answer, headers and all. */
  readonly length: number
  /** What went wrong when connections were cut after these counts of bytes, one after the other. */
  read(...cuts: readonly number[]): Promise<string | undefined>
}

export interface ServerToCut {
  readonly url: string
  client(dialect: Dialect): AapClient
}

/** Prepares one way, and reads it once undisturbed. */
export async function openCutStreams(server: ServerToCut, way: Way): Promise<CutStreams> {
  const { dialect, mode, turn } = way
  const direct = server.client(dialect)
  const proxy = await startFaultProxy(server)
  const finished = turn === 'finished' ? await playOnce(direct, way) : undefined

  const read = async (): Promise<ReadTurn & { readonly id: string }> => {
    const id = finished?.id ?? (await openSession(direct, { tools: TOOLS })).id
    const { begin, resume } = toReading(direct, { ...way, id, after: finished?.after })
    const turnRead = await readThroughCuts({
      begin: throughProxy(begin, proxy),
      resume: (lastId) => throughProxy(resume(lastId), proxy),
    })
    return { id, ...turnRead }
  }
  const expected = gist((await read()).frames)
  const length = proxy.passedBytes

  return {
    length,
    async read(...cuts) {
      proxy.plan(...cuts.map((cutAfter) => ({ cutAfter })))
      const { id, frames, connections } = await read()
      if (connections === 1 && (cuts[0] ?? 0) < length / 2) return 'the connection was not cut'
      const query = `?after=${cursorBefore(frames)}&stream=${mode}`
      const told = { frames, expected, stored: gist(await (await direct.events(id, query)).finished()) }
      return findFault(told)
    },
    [Symbol.asyncDispose]: () => proxy.stop(),
  }
}

/** Each list of cuts once, by as many clients at a time as there are streams. Tells what went wrong, and where. */
export async function findFaults(
  streams: readonly CutStreams[],
  allCuts: Iterable<readonly number[]>,
): Promise<{ readonly count: number; readonly faults: readonly string[] }> {
  const waiting = [...allCuts]
  const count = waiting.length
  const faults: string[] = []
  const work = async ({ read }: CutStreams): Promise<void> => {
    for (let cuts = waiting.shift(); cuts !== undefined; cuts = waiting.shift()) {
      const fault = await read(...cuts).catch((error: unknown) => String(error))
      if (fault !== undefined) faults.push(`cut after ${cuts.join(', then ')}: ${fault}`)
    }
  }
  await Promise.all(streams.map(work))
  return { count, faults }
}

/** The turn, told to a client that nobody disturbs: where it can be read again. */
async function playOnce(client: AapClient, { mode }: Way): Promise<{ readonly id: string; readonly after: string }> {
  const session = await openSession(client, { tools: TOOLS })
  const frames = await (await session.stream(mode, TALK)).finished()
  return { id: session.id, after: cursorBefore(frames) }
}

interface TurnToRead extends Way {
  readonly id: string
  /** Of a finished turn: the cursor before its first event. */
  readonly after: string | undefined
}

function toReading(client: AapClient, { dialect, mode, cursor, id, after }: TurnToRead): Reading {
  const path = `${dialect.session(id)}/events?stream=${mode}`
  const follow = (from: string): Exchange => client.exchange('GET', `${path}&after=${from}`)
  const start = (): Exchange =>
    client.exchange('POST', dialect.turns(id), {
      body: { stream: mode, messages: [{ role: 'user', content: TALK }] },
      headers: { 'idempotency-key': id },
    })
  return {
    begin: after === undefined ? start() : follow(after),
    resume: (lastId) =>
      cursor === 'query'
        ? follow(lastId)
        : // As a browser does it: the address it began with, and a header.
          client.exchange('GET', `${path}&after=${after ?? '0'}`, { headers: { 'last-event-id': lastId } }),
  }
}

/** Just before a turn whose first event this is. */
function cursorBefore([first]: readonly Frame[]): string {
  if (first?.event !== 'turn_start') throw new Error(`a turn begins with ${first?.event}`)
  return String(Number(first.id) - 1)
}

interface Told {
  readonly frames: readonly Frame[]
  readonly expected: readonly unknown[]
  /** What anybody reads who asks for the same turn afterwards. */
  readonly stored: readonly unknown[]
}

function findFault({ frames, expected, stored }: Told): string | undefined {
  const told = gist(frames)
  const ids = frames.map(({ id }) => id)
  if (new Set(ids).size !== ids.length) return `an id came twice: ${ids.join(' ')}`
  if (!isDeepStrictEqual(told, expected)) return `the client was told ${JSON.stringify(told)}`
  if (!isDeepStrictEqual(told, stored)) return `the client was told ${JSON.stringify(told)}, stored is otherwise`
  return undefined
}

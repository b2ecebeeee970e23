// A session with many watchers, some of whom do not read.
import { type BladeOutput, SessionFold, type TurnProjection } from '@polylogue/blade'
import { isDeepStrictEqual } from 'node:util'
import { percentile } from '../streams/support/measure-delay.ts'
import { V3 } from '../support/aap-dialect.ts'
import { eventually } from '../support/eventually.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { type RawSocket, type ReadingManner, openRawSocket } from './raw-socket.ts'
import { createRestClient } from './rest-client.ts'

export interface Flood {
  readonly events: number
  readonly bytes: number
  readonly perSecond: number
}

export interface Audience {
  readonly sockets: readonly RawSocket[]
  /** Runs a turn and waits until the first socket was told of its end. */
  flood(flood: Flood): Promise<void>
  /** What the session says of itself. */
  messages(): Promise<readonly TurnProjection[]>
  close(): void
}

/** The first socket reads; the others as they are told. */
export async function openAudience(server: ServerProcess, manners: readonly ReadingManner[]): Promise<Audience> {
  const rest = createRestClient(server)
  const sessionId = await rest.create({ solution_id: 'flood' })
  const { url, key } = server
  const first = await openRawSocket({ url, key, sessionId, manner: 'all' })
  const others: RawSocket[] = []
  for (const manner of manners) others.push(await openRawSocket({ url, key, sessionId, manner }))
  const ends = (): number => first.told.filter(({ event }) => event === 'chat:end').length
  return {
    sockets: [first, ...others],
    async flood({ events, bytes, perSecond }) {
      const before = ends()
      const content = `flood ${events} ${bytes} ${perSecond}`
      await server.client(V3).turn(sessionId, { messages: [{ role: 'user', content }] })
      await eventually(async () => (ends() > before ? true : undefined), 'the end of the run was told')
    },
    messages: async () => (await rest.send<readonly TurnProjection[]>('GET', `/sessions/${sessionId}/messages`)).body,
    close() {
      for (const socket of [first, ...others]) socket.close()
    },
  }
}

/** How long each delta was under way to this socket, in milliseconds, told by the stamps of the model. */
export async function measureDelays(server: ServerProcess, seconds: number): Promise<readonly number[]> {
  const audience = await openAudience(server, [])
  const [socket] = audience.sockets
  const delays: number[] = []
  socket?.listen((output) => {
    const now = Number(process.hrtime.bigint() / 1000n)
    for (const sentAt of stampsIn(output)) delays.push((now - sentAt) / 1000)
  })
  await audience.flood({ events: seconds * 50, bytes: 64, perSecond: 50 })
  audience.close()
  return delays
}

export const p99 = (delays: readonly number[]): number => percentile(delays, 0.99)

function stampsIn({ event, payload }: BladeOutput): readonly number[] {
  if (event !== 'turn:patch' || payload.patch_type !== 'add_content') return []
  return [...(payload.data.text_delta ?? '').matchAll(/@(\d+)@/g)].map(([, stamp]) => Number(stamp))
}

/** What is wrong with what a socket was told, if the session is as it says. */
export function findMistakes(
  { told }: RawSocket,
  first: RawSocket,
  turns: readonly TurnProjection[],
): readonly string[] {
  const [event] = told
  const sessionId = event?.payload.session_id ?? ''
  const fold = new SessionFold(sessionId, { usesSnapshots: false })
  for (const output of told) fold.apply(output)
  return [
    ...(told.length === first.told.length ? [] : [`${told.length} events instead of ${first.told.length}`]),
    ...(fold.isDirty ? ['something was missed'] : []),
    ...(isDeepStrictEqual(fold.turns, turns) ? [] : ['its turns are not those of the session']),
  ]
}

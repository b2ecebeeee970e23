// A session with many watchers, some of whom do not read.
import { SessionFold, type TurnProjection } from '@polylogue/blade'
import { isDeepStrictEqual } from 'node:util'
import { V3 } from '../support/aap-dialect.ts'
import { eventually } from '../support/eventually.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { type RawSocket, type ReadingManner, openRawSocket } from './raw-socket.ts'
import { createRestClient } from './rest-client.ts'

export type Served = Pick<ServerProcess, 'url' | 'key' | 'client'>

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
export async function openAudience(server: Served, manners: readonly ReadingManner[]): Promise<Audience> {
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

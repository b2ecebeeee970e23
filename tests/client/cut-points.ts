import { isDeepStrictEqual } from 'node:util'
import {
  AapSession,
  createAapClient,
  defineClientTool,
  type AapVersion,
  type Fetch,
  type WireMessage,
} from '@polylogue/client/aap'
import { createBlade, type SessionSnapshot, type TurnProjection } from '@polylogue/client/blade'
import type { TestServer } from '../support/test-server.ts'
import { NEXT, call, script } from '../support/script.ts'
import type { CutProxy } from './cut-proxy.ts'

/** Runs once per cut, several in parallel. Returns the cuts that lead to a difference. */
export async function findDifferences(
  cuts: readonly number[],
  run: (cutAfter: number) => Promise<Told>,
): Promise<string[]> {
  const left = [...cuts]
  const differences: string[] = []
  const worker = async (): Promise<void> => {
    for (let cut = left.shift(); cut !== undefined; cut = left.shift()) {
      try {
        const { local, server } = await run(cut)
        if (isDeepStrictEqual(local, server)) continue
        differences.push(`cut after ${cut} bytes: ${JSON.stringify({ local, server })}`)
      } catch (error) {
        differences.push(`cut after ${cut} bytes: ${String(error)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker))
  return differences
}

const SIDE_BY_SIDE = 4

const filler = (word: string, times: number): string => Array.from({ length: times }, () => word).join(' ')

/** Thinking, text beyond ASCII, a tool of the server and one of the client: about 4 KiB of events. */
const SCRIPT = script(
  'think Grüße 你好',
  `say ${filler('naïve 🙂', 12)}`,
  call('e1', 'echo', { msg: 'hi' }),
  NEXT,
  call('w1', 'weather', { city: 'Tromsø' }),
  NEXT,
  `say ${filler('done', 24)}`,
)

const weather = defineClientTool({
  name: 'weather',
  description: 'Tells the weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  run: ({ city }: { readonly city: string }) => `snow in ${city}`,
})

export interface Told {
  readonly local: readonly unknown[]
  readonly server: readonly unknown[]
  /** How many bytes of events came. */
  readonly bytes: number
}

/** A conversation with a tool of the client, and what the server has of it afterwards. */
export async function converse(
  server: TestServer,
  version: AapVersion,
  fetch: Fetch,
): Promise<Pick<Told, 'local' | 'server'>> {
  const client = createAapClient({
    baseUrl: `${server.url}/aap/v${version}`,
    key: server.key,
    version,
    fetch,
    reconnect: async () => {},
  })
  const session = await AapSession.create(client, {
    agent: { name: 'scripted', tools: [{ name: 'echo', trust: true }] },
    tools: [weather],
  })
  for await (const event of session.send(SCRIPT)) void event
  const local: readonly WireMessage[] = session.messages
  await session.reload()
  return { local, server: session.messages }
}

/** A conversation in which the connection breaks once, after this many bytes of events. */
export async function converseWithCut(server: TestServer, version: AapVersion, cutAfter: number): Promise<Told> {
  const cut = cuttingFetch(cutAfter)
  return { ...(await converse(server, version, cut.fetch)), bytes: cut.passed() }
}

function cuttingFetch(cutAfter: number): { fetch: Fetch; passed: () => number } {
  let [passed, isCut] = [0, false]
  const fetch: Fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init)
    if (init.headers['accept'] !== 'text/event-stream' || response.body === null) return response
    const through = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        const left = isCut ? Infinity : cutAfter - passed
        passed += Math.min(left, bytes.length)
        controller.enqueue(bytes.length < left ? bytes : bytes.slice(0, left))
        if (bytes.length < left) return
        isCut = true
        controller.error(new TypeError('terminated'))
      },
    })
    return new Response(response.body.pipeThrough(through), response)
  }
  return { fetch, passed: () => passed }
}

/** A run that a Blade store follows while its connection breaks once, after this many bytes to the client. */
export async function followWithCut(server: TestServer, proxy: CutProxy, cutAfter: number): Promise<Told> {
  const blade = createBlade({ url: proxy.url, token: server.key, transports: ['websocket'], reconnectAfterMs: 1 })
  const direct = createBlade({ url: server.url, token: server.key })
  const session = blade.open(await direct.api.createSession({ solution_id: 'scripted' }))
  await session.ready()
  const before = proxy.passed
  proxy.cutAfter(cutAfter)
  const ack = await session.send(script('think hm', `say ${filler('naïve 🙂', 9)}`, call('e1', 'echo', { msg: 'hi' })))
  if (ack.status === 'error') throw new Error(ack.message)
  const snapshot = await ended(session)
  const server_ = await direct.api.messages(session.id)
  session.close()
  blade.close()
  return { local: turnsOf(snapshot), server: server_, bytes: proxy.passed - before }
}

export const turnsOf = ({ pages }: SessionSnapshot): readonly TurnProjection[] => pages.flatMap(({ turns }) => turns)

interface Store {
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => SessionSnapshot
}

/** The first snapshot that is live and whose run has ended. */
export async function ended({ subscribe, getSnapshot }: Store): Promise<SessionSnapshot> {
  // The status goes to all lists of the user, and may arrive before the end of the turn.
  const isEnded = (snapshot: SessionSnapshot): boolean =>
    snapshot.state === 'live' &&
    snapshot.detail?.status === 'completed' &&
    turnsOf(snapshot).every(({ status }) => status !== 'streaming')
  while (!isEnded(getSnapshot())) {
    await new Promise<void>((resolve) => {
      const stop = subscribe(() => {
        stop()
        resolve()
      })
    })
  }
  return getSnapshot()
}

import { RESULT_TOOL, type JsonObject } from '@polylogue/engine'
import { connectLive } from '../blade/live-client.ts'
import { call, script } from '../support/script.ts'

interface Server {
  readonly url: string
  readonly key: string
}

export interface SlowTurn {
  readonly schema: JsonObject
  readonly value: JsonObject
  /** Before the model answers. */
  readonly sleepMs?: number
}

/** Begins a headless turn whose model gives this value for this schema. */
export async function beginSlowTurn(server: Server, { schema, value, sleepMs = 0 }: SlowTurn) {
  const live = await connectLive({ url: server.url, token: server.key })
  const response = await fetch(new URL('/api/sessions', server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ solution_id: 'scripted' }),
  })
  const { session_id: sessionId } = (await response.json()) as { session_id: string }
  await live.client.subscribe(sessionId)
  const text = script(`sleep ${sleepMs}`, call('r1', RESULT_TOOL, value))
  const ack = await live.client.send(sessionId, text, { headless: true, output_schema: schema })
  return { live, sessionId, ack }
}

/** How the turn ended, or how it was refused. */
export async function playSlowTurn(server: Server, turn: SlowTurn): Promise<string> {
  const { live, ack } = await beginSlowTurn(server, turn)
  if (ack.status !== 'ok') return `refused: ${ack.message}`
  await live.ends(1)
  const [end] = live.told.filter(({ event }) => event === 'chat:end')
  return end?.event === 'chat:end' ? end.payload.status : 'no end'
}

/** Asks `/healthz` again and again until it is stopped, and tells the longest answer in milliseconds. */
export function probeHealth({ url }: Server): () => Promise<number> {
  let isStopped = false
  let longest = 0
  const probing = (async () => {
    while (!isStopped) {
      const startedAt = performance.now()
      await fetch(new URL('/healthz', url)).then((response) => response.text())
      longest = Math.max(longest, performance.now() - startedAt)
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  return async () => {
    isStopped = true
    await probing
    return longest
  }
}

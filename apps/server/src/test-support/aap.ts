import type { IncomingMessage } from 'node:http'
import { beginExchange, exchange } from './exchange.ts'

/** Just enough of AAP v3 to make a server busy. */
export async function createSession(url: string, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` }
  const created = await exchange(`${url}/aap/v3/sessions`, { headers, body: { agent: { name: 'scripted' } } })
  return (created.body as { sessionId: string }).sessionId
}

/** A streamed turn of the `scripted` agent. Its answer has begun: the turn is admitted. */
export function startTurn(
  url: string,
  key: string,
  turn: { sessionId: string; script: string },
): Promise<IncomingMessage> {
  return beginExchange(`${url}/aap/v3/sessions/${turn.sessionId}/turns`, {
    headers: { authorization: `Bearer ${key}` },
    body: { stream: 'delta', messages: [{ role: 'user', content: turn.script }] },
  })
}

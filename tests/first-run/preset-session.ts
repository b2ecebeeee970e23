import type { AapClient } from '../support/aap-client.ts'
import { type AapSession, attachSession } from '../support/aap-session.ts'
import { exchangeJson } from '../support/http-exchange.ts'

/** A session as the page makes it: all tools of the agent, judged by a preset. */
export async function openPresetSession(client: AapClient, agent: string, preset: string): Promise<AapSession> {
  const { status, body, text } = await exchangeJson<{ readonly sessionId: string }>({
    method: 'POST',
    url: `${client.url}/api/polylogue/sessions`,
    headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
    body: { agent, preset },
  })
  if (status !== 201) throw new Error(`the session was refused: ${status} ${text}`)
  return attachSession(client, body.sessionId)
}

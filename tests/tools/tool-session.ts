import { join } from 'node:path'
import type { AapClient } from '../support/aap-client.ts'
import { type Dialect, V3 } from '../support/aap-dialect.ts'
import { type AapSession, attachSession } from '../support/aap-session.ts'
import type { Permission } from '../support/aap-wire.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { type CallRecord, type LoggedEvent, foldCalls } from './call-records.ts'

/** What a test server and a server process have in common. */
export interface Serving {
  readonly url: string
  readonly key: string
  readonly dataDir: string
  client(dialect: Dialect, key?: string): AapClient
}

export type Mode = 'read-only' | 'workspace-write' | 'full-access' | 'plan'

/** A session with all tools of its agent under a mode, as the page and the command line make them. */
export interface ToolSession extends AapSession {
  readonly server: Serving
  /** Where its tools work, unless its agent's configuration says otherwise. */
  readonly workspace: string
  /** The whole log. */
  events(): Promise<readonly LoggedEvent[]>
  /** What became of each call, those of sub-agents too. */
  calls(): Promise<ReadonlyMap<string, CallRecord>>
  callOf(id: string): Promise<CallRecord>
  /** Throws with the whole answer when it is refused. */
  change(changes: { readonly preset: Mode } | { readonly planning: boolean }): Promise<void>
  cancelCall(id: string): Promise<void>
}

export interface ToolSessionSetup {
  readonly agent?: string
  readonly preset?: Mode
}

export async function openToolSession(server: Serving, setup: ToolSessionSetup = {}): Promise<ToolSession> {
  const { agent = 'scripted', preset } = setup
  const { sessionId } = await ask<{ sessionId: string }>(server, 'POST ', { agent, ...(preset && { preset }) })
  return attachToolSession(server, sessionId)
}

/** The same session at another base, or after a restart. */
export function attachToolSession(server: Serving, id: string, dialect: Dialect = V3): ToolSession {
  async function events(): Promise<readonly LoggedEvent[]> {
    const all: LoggedEvent[] = []
    for (let after: number | undefined = 0; after !== undefined;) {
      const page: EventPage = await ask<EventPage>(server, `GET /${id}/events?limit=1000&after=${after}`)
      all.push(...page.events)
      after = page.next
    }
    return all
  }
  const calls = async (): Promise<ReadonlyMap<string, CallRecord>> => foldCalls(await events())
  return {
    ...attachSession(server.client(dialect), id),
    server,
    workspace: join(server.dataDir, 'workspaces', id),
    events,
    calls,
    async callOf(callId) {
      const found = (await calls()).get(callId)
      if (found === undefined) throw new Error(`the log has no call ${callId}`)
      return found
    },
    async change(changes) {
      await ask(server, `PATCH /${id}`, changes)
    },
    async cancelCall(callId) {
      await ask(server, `POST /${id}/calls/${callId}/cancel`, {})
    },
  }
}

export const grant = (toolCallId: string): Permission => ({ role: 'tool_permission', toolCallId, granted: true })

export const refuse = (toolCallId: string, reason: string): Permission => ({
  role: 'tool_permission',
  toolCallId,
  granted: false,
  reason,
})

interface EventPage {
  readonly events: readonly LoggedEvent[]
  readonly next?: number
}

/** `route` is a method and a path below the sessions. */
async function ask<Body>({ url, key }: Serving, route: string, body?: unknown): Promise<Body> {
  const [method = '', path = ''] = route.split(' ')
  const answer = await exchangeJson<Body>({
    method,
    url: `${url}/api/polylogue/sessions${path}`,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  })
  if (answer.status >= 300) throw new Error(`${method} ${path} was refused: ${answer.status} ${answer.text}`)
  return answer.body
}

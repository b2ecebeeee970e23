import { requestJson, type OwnerLink } from './owner-link.ts'
import { readSessionRecord } from './read-session-record.ts'
import { foldLog, logPage, type LoggedCalls } from './logged-calls.ts'
import type { SessionRecord } from './wire.ts'

export interface ToolCall {
  readonly toolCallId: string
  readonly name: string
  readonly input: unknown
}

export interface SubAgent {
  readonly agent: string
  readonly description: string
}

/** A call that the turn waits for, with what the log says of it. */
export interface WaitingCall extends ToolCall {
  /** Who settles it; unknown of a history that a client brought along. */
  readonly route?: string
  readonly reason?: string
  readonly subAgent?: SubAgent
  /** Of a call that writes a whole file. */
  readonly isNewFile?: boolean
}

/** As far back as is looked for what the log says of them. */
const LOG_ENTRIES = 5_000

export async function readWaitingCalls(link: OwnerLink, sessionId: string): Promise<readonly WaitingCall[]> {
  const record = await readSessionRecord(link, sessionId)
  const logged = await readLog(link, sessionId, Math.max(0, record.events - LOG_ENTRIES))
  return findWaitingCalls(record).map((call) => ({ ...call, ...logged.get(call.toolCallId) }))
}

/** The calls that a session waits for, those of earlier requests included. */
function findWaitingCalls({ session, messages }: SessionRecord): readonly ToolCall[] {
  const waiting = new Set(session.waitingCalls)
  return messages
    .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    .filter((part) => part.type === 'tool-call')
    .filter(({ toolCallId }) => waiting.has(toolCallId))
}

async function readLog(link: OwnerLink, sessionId: string, start: number): Promise<LoggedCalls> {
  const entries: unknown[] = []
  let after = start
  for (;;) {
    const path = `/api/polylogue/sessions/${encodeURIComponent(sessionId)}/events?after=${after}&limit=500`
    const page = await requestJson(link, logPage, { method: 'GET', path })
    entries.push(...page.events)
    if (page.next === undefined) return foldLog(entries)
    after = page.next
  }
}

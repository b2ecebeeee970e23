import type {
  CallFacts,
  EventStore,
  JsonObject,
  Preset,
  Recorded,
  RecordedEvent,
  SessionId,
  ToolAccess,
  UserId,
} from '@polylogue/engine'

/** A call as the log has it, with what was in force when the model made it. */
export interface PastCall {
  readonly sessionId: SessionId
  readonly toolCallId: string
  readonly at: number
  readonly agent: string
  readonly tool: string
  readonly input: JsonObject
  /** Absent when the tool said nothing of the call, or did not do so then. */
  readonly facts?: CallFacts
  readonly title?: string
  readonly preset: Preset
  readonly access: ToolAccess
  readonly happened: Happened
}

/** `refused`: it could not run, whatever was allowed: an unknown tool, a wrong input. */
export type Happened = 'allowed' | 'granted' | 'rejected' | 'unanswered' | 'denied' | 'refused'

export interface PastCalls {
  /** Newest first. */
  readonly calls: readonly PastCall[]
  readonly sessions: number
  /** Nothing was left out for want of time. */
  readonly isComplete: boolean
}

export interface PastCallsQuery {
  readonly userId: UserId
  readonly calls: number
}

const SESSIONS_A_PAGE = 50
const EVENTS_A_PAGE = 500
/** A second or two of reading, with pauses for others in between. */
const MOST_EVENTS = 50_000
const MOST_SESSIONS = 1_000

export async function readPastCalls(
  store: Pick<EventStore, 'listSessions' | 'readHead' | 'readEvents'>,
  query: PastCallsQuery,
): Promise<PastCalls> {
  const calls: PastCall[] = []
  let eventsLeft = MOST_EVENTS
  let sessions = 0
  let isComplete = true
  for await (const sessionId of sessionsOf(store, query.userId)) {
    if (calls.length >= query.calls || sessions >= MOST_SESSIONS) return { calls, sessions, isComplete: false }
    const head = await store.readHead(sessionId)
    if (head === undefined) continue
    if (head.lastSeq > eventsLeft) {
      isComplete = false
      continue
    }
    eventsLeft -= head.lastSeq
    sessions += 1
    const found = callsIn(sessionId, await readLog(store, sessionId)).toReversed()
    if (calls.length + found.length > query.calls) isComplete = false
    calls.push(...found.slice(0, query.calls - calls.length))
  }
  return { calls, sessions, isComplete }
}

async function* sessionsOf(store: Pick<EventStore, 'listSessions'>, userId: UserId): AsyncGenerator<SessionId> {
  let before: SessionId | undefined
  for (;;) {
    const page = await store.listSessions({ userId, limit: SESSIONS_A_PAGE, ...(before && { before }) })
    for (const { sessionId } of page) yield sessionId
    before = page.at(-1)?.sessionId
    if (before === undefined) return
  }
}

async function readLog(store: Pick<EventStore, 'readEvents'>, sessionId: SessionId): Promise<readonly Recorded[]> {
  const log: Recorded[] = []
  for (;;) {
    const page = await store.readEvents(sessionId, log.at(-1)?.seq ?? 0, EVENTS_A_PAGE)
    log.push(...page)
    if (page.length === 0) return log
  }
}

type Made = Omit<PastCall, 'happened'>

function callsIn(sessionId: SessionId, log: readonly Recorded[]): readonly PastCall[] {
  const made: Made[] = []
  const fates = new Map<string, Happened>()
  let standing = { agent: '', preset: 'workspace-write' as Preset, access: { type: 'preset' } as ToolAccess }
  for (const { at, event } of log) {
    if (event.type === 'session.created') {
      standing = { agent: event.agent, preset: event.settings.preset, access: event.settings.access }
    } else if (event.type === 'session.configured') {
      standing = {
        ...standing,
        ...(event.settings.preset && { preset: event.settings.preset }),
        ...(event.settings.access && { access: event.settings.access }),
      }
    } else if (event.type === 'step.answered') {
      for (const block of event.blocks) {
        if (block.type !== 'tool-call' || event.routes[block.toolCallId] === 'client') continue
        const { toolCallId, name: tool, input } = block
        const inspection = event.inspections?.[toolCallId]
        const title = inspection?.preview?.title
        made.push({
          ...standing,
          sessionId,
          at,
          toolCallId,
          tool,
          input,
          ...(inspection && { facts: inspection.facts }),
          ...(title !== undefined && { title }),
        })
      }
    } else noteFate(fates, event)
  }
  return made.map((call) => ({ ...call, happened: fates.get(call.toolCallId) ?? 'allowed' }))
}

function noteFate(fates: Map<string, Happened>, event: RecordedEvent): void {
  switch (event.type) {
    case 'approval.requested':
      fates.set(event.toolCallId, 'unanswered')
      return
    case 'approval.resolved':
      fates.set(event.toolCallId, event.granted ? 'granted' : 'rejected')
      return
    case 'tool-call.started':
      if (!fates.has(event.toolCallId)) fates.set(event.toolCallId, 'allowed')
      return
    case 'tool-call.settled':
      if (fates.has(event.toolCallId) || event.by !== 'engine') return
      if (event.status === 'cancelled' || event.status === 'completed') return
      fates.set(event.toolCallId, event.status === 'denied' ? 'denied' : 'refused')
      return
    default:
      return
  }
}

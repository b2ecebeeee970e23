import { sessionView } from './session-view.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'
import type { SessionListing } from '../ports/event-store.ts'
import type { SessionView } from './session-view.ts'
import { isWaitingForAnswer, openCallsOf, type SessionState } from '../state/session-state.ts'

export function toSessionView(state: SessionState): SessionView {
  const { sessionId, userId, agent, turn, lastOutcome, origin, via, createdAt, updatedAt } = state
  const { secretOptions: _secretOptions, ...settings } = state.settings
  return {
    sessionId,
    userId,
    agent,
    ...settings,
    ...(origin && { origin: { ancestors: origin.ancestors, ...(origin.turnId && { turnId: origin.turnId }) } }),
    ...(via !== undefined && { via }),
    forks: state.forks ?? [],
    queued: state.queue.length,
    ...(turn !== undefined && { turnId: turn.turnId }),
    status: turn?.status ?? 'idle',
    ...(lastOutcome !== undefined && { lastOutcome }),
    waitingCalls: openCallsOf(turn)
      .filter(isWaitingForAnswer)
      .map((call) => call.toolCallId),
    lastSeq: state.seq,
    createdAt,
    updatedAt,
  }
}

/** Events that change how a list shows a session. Other events do not update the row. */
export function changesSummary(event: RecordedEvent): boolean {
  switch (event.type) {
    case 'session.created':
    case 'session.seeded':
    case 'session.configured':
    case 'session.forked':
    case 'session.fork-deleted':
    case 'input.admitted':
    case 'input.dropped':
    case 'turn.started':
    case 'turn.paused':
    case 'turn.resumed':
    case 'turn.ended':
      return true
    default:
      return false
  }
}

/** The data that a store keeps for lists: the whole view, and the fields for searching. */
export function toListing(state: SessionState): { readonly summary: string; readonly listing: SessionListing } {
  const { title, directories, isPinned } = state.settings
  const [directory] = directories
  return {
    summary: JSON.stringify(toSessionView(state)),
    listing: {
      ...(title !== undefined && { title }),
      ...(directory !== undefined && { directory }),
      isPinned,
      isStarted: state.isStarted,
      changedAt: state.updatedAt,
    },
  }
}

export const readSummary = (summary: string): SessionView => sessionView.parse(JSON.parse(summary))

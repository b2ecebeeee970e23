import { sessionView } from './session-view.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'
import type { SessionSettings } from '../events/session-settings.ts'
import type { SessionListing } from '../ports/event-store.ts'
import type { SessionView } from './session-view.ts'
import { isWaitingForAnswer, openCallsOf, type SessionState } from '../state/session-state.ts'

export const toSessionView = (state: SessionState): SessionView => ({
  ...shownSettings(state.settings).settings,
  ...activityOf(state),
})

type ShownSettings = Omit<SessionSettings, 'secretOptions'>

interface Shown {
  readonly settings: ShownSettings
  /** The same as JSON, without its last brace. */
  readonly text: string
}

/** Settings rarely change, and every turn shows them. */
const shown = new WeakMap<SessionSettings, Shown>()

function shownSettings(all: SessionSettings): Shown {
  const known = shown.get(all)
  if (known !== undefined) return known
  const { secretOptions: _secretOptions, ...settings } = all
  const made = { settings, text: JSON.stringify(settings).slice(0, -1) }
  shown.set(all, made)
  return made
}

/** All of a view but the settings. */
function activityOf(state: SessionState): Omit<SessionView, keyof ShownSettings> {
  const { sessionId, userId, agent, turn, lastOutcome, origin, via, createdAt, updatedAt } = state
  return {
    sessionId,
    userId,
    agent,
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
    overrides: state.overrides,
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
    case 'input.changed':
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
    summary: `${shownSettings(state.settings).text},${JSON.stringify(activityOf(state)).slice(1)}`,
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

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
  /** The part of the newest summary that turns do not change. */
  summary?: LastingText
}

interface LastingText {
  readonly of: Pick<SessionState, 'sessionId' | 'origin'>
  /** Settings and origin as JSON, without its last brace. */
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

type Activity = Omit<SessionView, keyof ShownSettings>
type Origin = Pick<Activity, 'sessionId' | 'userId' | 'agent' | 'origin' | 'via' | 'createdAt'>

/** All of a view but the settings. */
function activityOf(state: SessionState): Activity {
  const { turnId, lastOutcome, ...progress } = progressOf(state)
  return {
    ...originOf(state),
    ...progress,
    ...(turnId !== undefined && { turnId }),
    ...(lastOutcome !== undefined && { lastOutcome }),
  }
}

/** Never changes. */
function originOf({ sessionId, userId, agent, origin, via, createdAt }: SessionState): Origin {
  return {
    sessionId,
    userId,
    agent,
    ...(origin && { origin: { ancestors: origin.ancestors, ...(origin.turnId && { turnId: origin.turnId }) } }),
    ...(via !== undefined && { via }),
    createdAt,
  }
}

/** One shape for all states, which V8 encodes fastest. Fields that are absent are `undefined`. */
function progressOf({ turn, lastOutcome, forks, queue, overrides, seq, updatedAt }: SessionState) {
  return {
    forks: forks ?? [],
    queued: queue.length,
    turnId: turn?.turnId,
    status: turn?.status ?? 'idle',
    lastOutcome,
    waitingCalls: openCallsOf(turn)
      .filter(isWaitingForAnswer)
      .map((call) => call.toolCallId),
    overrides,
    lastSeq: seq,
    updatedAt,
  } satisfies Omit<Activity, keyof Origin>
}

/** What of a summary turns do not change. */
function lastingText(state: SessionState): string {
  const known = shownSettings(state.settings)
  const { summary } = known
  if (summary?.of.sessionId === state.sessionId && summary.of.origin === state.origin) return summary.text
  const text = `${known.text},${JSON.stringify(originOf(state)).slice(1, -1)}`
  known.summary = { of: { sessionId: state.sessionId, origin: state.origin }, text }
  return text
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
    summary: `${lastingText(state)},${JSON.stringify(progressOf(state)).slice(1)}`,
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

import { sessionView } from './session-view.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'
import type { SessionSettings } from '../events/session-settings.ts'
import type { SessionListing } from '../ports/event-store.ts'
import type { SessionView } from './session-view.ts'
import { isWaitingForAnswer, openCallsOf, type SessionState } from '../state/session-state.ts'

type ShownSettings = Omit<SessionSettings, 'secretOptions'>

/**
 * What doors and lists show of one session. Keeps what turns do not change, for as long as the session is in memory: entries of
 * a `WeakMap`, one for each session, would cost the garbage collector more than making them again.
 */
export class ShownSession {
  #settings: { readonly of: SessionSettings; readonly shown: ShownSettings } | undefined
  #lasting: { readonly of: SessionSettings; readonly origin: SessionState['origin']; readonly text: string } | undefined

  view(state: SessionState): SessionView {
    if (this.#settings?.of !== state.settings) this.#settings = { of: state.settings, shown: toShown(state.settings) }
    return { ...this.#settings.shown, ...activityOf(state) }
  }

  /** The data that a store keeps for lists: the whole view, and the fields for searching. */
  listing(state: SessionState): { readonly summary: string; readonly listing: SessionListing } {
    const { settings, origin } = state
    if (this.#lasting?.of !== settings || this.#lasting.origin !== origin)
      this.#lasting = { of: settings, origin, text: lastingText(state) }
    const { title, directories, isPinned } = settings
    const [directory] = directories
    return {
      summary: `${this.#lasting.text},${JSON.stringify(progressOf(state)).slice(1)}`,
      listing: {
        ...(title !== undefined && { title }),
        ...(directory !== undefined && { directory }),
        isPinned,
        isStarted: state.isStarted,
        changedAt: state.updatedAt,
      },
    }
  }
}

function toShown({ secretOptions: _secretOptions, ...shown }: SessionSettings): ShownSettings {
  return shown
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

/** Settings and origin as JSON, without the last brace. */
const lastingText = (state: SessionState): string =>
  JSON.stringify({ ...toShown(state.settings), ...originOf(state) }).slice(0, -1)

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

export const readSummary = (summary: string): SessionView => sessionView.parse(JSON.parse(summary))

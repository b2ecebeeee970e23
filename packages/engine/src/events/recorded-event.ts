import { z } from 'zod'
import type { Stored } from '../stored-schema.ts'
import {
  approvalRequested,
  approvalResolved,
  toolCallCancelRequested,
  toolCallSettled,
  toolCallStarted,
} from './call-events.ts'
import type { failure } from './define-event.ts'
import { compactionEnded, compactionRequested, compactionStarted, loopEnded, loopStarted } from './loop-events.ts'
import {
  sessionConfigured,
  sessionCreated,
  sessionForkDeleted,
  sessionForked,
  sessionSeeded,
} from './session-events.ts'
import { stepAnswered, stepEnded, stepStarted } from './step-events.ts'
import {
  inputAdmitted,
  inputChanged,
  inputDropped,
  memoriesRecalled,
  surroundingsNoted,
  turnCancelRequested,
  turnEnded,
  turnHandedOver,
  turnPaused,
  turnResumed,
  turnStarted,
  turnTakenOver,
} from './turn-events.ts'

/**
 * The facts of a session, in the order of its log. A shape that was written never changes: a new shape gets a higher
 * version and an upcast in `upcast.ts`. Optional fields may be added at any time.
 */
export const recordedEvent = z.discriminatedUnion('type', [
  sessionCreated,
  sessionSeeded,
  sessionConfigured,
  sessionForked,
  sessionForkDeleted,
  inputAdmitted,
  inputChanged,
  inputDropped,
  turnStarted,
  turnPaused,
  turnResumed,
  turnCancelRequested,
  turnHandedOver,
  turnTakenOver,
  turnEnded,
  memoriesRecalled,
  surroundingsNoted,
  stepStarted,
  stepAnswered,
  stepEnded,
  loopStarted,
  loopEnded,
  compactionRequested,
  compactionStarted,
  compactionEnded,
  approvalRequested,
  approvalResolved,
  toolCallStarted,
  toolCallCancelRequested,
  toolCallSettled,
])

export type RecordedEvent = Stored<typeof recordedEvent>

/** The events of one type: `EventOf<'turn.started'>`. */
export type EventOf<Type extends RecordedEvent['type']> = Extract<RecordedEvent, { readonly type: Type }>

/** One row of the log. `at` is epoch milliseconds. */
export interface Recorded<Event extends RecordedEvent = RecordedEvent> {
  readonly seq: number
  readonly at: number
  readonly event: Event
}

export type Failure = Stored<typeof failure>

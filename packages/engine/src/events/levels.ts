// Nodes of two versions share a storage while a cluster is updated. The level of a node says which events it can read. An
// event that needs a higher level is recorded only when every live node has that level, and a node never runs a session
// that contains an event beyond its own level.
//
// A change of the events that older nodes cannot read (a new type, or a new version of one) raises CURRENT_LEVEL by one
// and gives this level to the type. New optional fields need no level.
import type { RecordedEvent } from './recorded-event.ts'

/** The level of this program. */
const CURRENT_LEVEL = 1
export const LOWEST_LEVEL = 1

/** The level that the current version of each type needs. */
export const EVENT_LEVELS: Readonly<Record<RecordedEvent['type'], number>> = {
  'session.created': 1,
  'session.seeded': 1,
  'session.configured': 1,
  'session.forked': 1,
  'session.fork-deleted': 1,
  'input.admitted': 1,
  'input.changed': 1,
  'input.dropped': 1,
  'turn.started': 1,
  'turn.paused': 1,
  'turn.resumed': 1,
  'turn.cancel-requested': 1,
  'turn.handed-over': 1,
  'turn.taken-over': 1,
  'turn.ended': 1,
  'memories.recalled': 1,
  'surroundings.noted': 1,
  'step.started': 1,
  'step.answered': 1,
  'step.ended': 1,
  'loop.started': 1,
  'loop.ended': 1,
  'compaction.requested': 1,
  'compaction.started': 1,
  'compaction.ended': 1,
  'approval.requested': 1,
  'approval.resolved': 1,
  'tool-call.started': 1,
  'tool-call.cancel-requested': 1,
  'tool-call.settled': 1,
}

/** For tests of two versions: this node has another level, and one type of events needs it. */
export interface PretendedLevel {
  readonly level: number
  readonly type: string
}

let pretended: PretendedLevel | undefined

export function pretendLevel(next: PretendedLevel | undefined): void {
  pretended = next
}

/** The level of this node. */
export const ownLevel = (): number => pretended?.level ?? CURRENT_LEVEL

/** The level that a type of events needs. */
function levelOfType(type: RecordedEvent['type']): number {
  return pretended?.type === type ? pretended.level : EVENT_LEVELS[type]
}

/** The level that a node needs to read all these events. */
export function levelOfEvents(events: readonly RecordedEvent[]): number {
  let level = LOWEST_LEVEL
  for (const { type } of events) level = Math.max(level, levelOfType(type))
  return level
}

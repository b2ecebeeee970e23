import {
  asEntryId,
  asSessionId,
  asTurnId,
  asUserId,
  type AppendRequest,
  type AppendResult,
  type EventStore,
  type Fence,
  type RecordedEvent,
  type SessionId,
} from '@polylogue/engine'

export const USER = asUserId('ada')
export const OTHER_USER = asUserId('grace')
export const TURN = asTurnId('turn_1')
export const STEP = asEntryId('entry_step')
export const AT = Date.UTC(2026, 0, 1)

/** Ids that sort by their numbers. */
export const session = (number: number): SessionId =>
  asSessionId(`01900000-0000-7000-8000-${String(number).padStart(12, '0')}`)

export const SESSION = session(1)

/** Stores never look into events, so any event with a text will do. */
export const said = (text: string): RecordedEvent => ({ type: 'turn.cancel-requested', turnId: TURN, reason: text })

export const creation = (sessionId: SessionId, more: Partial<AppendRequest> = {}): AppendRequest => ({
  sessionId,
  expectedSeq: 0,
  create: { userId: USER },
  at: AT,
  events: [said('first')],
  wanted: false,
  ...more,
})

export const addition = (
  sessionId: SessionId,
  expectedSeq: number,
  more: Partial<AppendRequest> = {},
): AppendRequest => ({
  sessionId,
  expectedSeq,
  at: AT,
  events: [said(`after ${expectedSeq}`)],
  wanted: false,
  ...more,
})

export const appended = (lastSeq: number, fence?: Fence): AppendResult => ({
  type: 'appended',
  lastSeq,
  ...(fence && { fence }),
})

export const conflict = (reason: Extract<AppendResult, { type: 'conflict' }>['reason']): AppendResult => ({
  type: 'conflict',
  reason,
})

export async function textsOf(store: EventStore, sessionId: SessionId): Promise<string[]> {
  const recorded = await store.readEvents(sessionId, 0, 10_000)
  return recorded.map(({ event }) => (event.type === 'turn.cancel-requested' ? event.reason : event.type))
}

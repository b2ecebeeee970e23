import { asEntryId, asSessionId, asToolCallId, asTurnId, type Ids } from '@polylogue/engine'

/** Deterministic ids. Session ids have the shape of a UUIDv7 and sort by creation. */
export function createTestIds(): Ids {
  let sessions = 0
  let turns = 0
  let entries = 0
  let toolCalls = 0
  return {
    sessionId: () => asSessionId(`00000000-0000-7000-8000-${String(++sessions).padStart(12, '0')}`),
    turnId: () => asTurnId(`turn_${++turns}`),
    entryId: () => asEntryId(`entry_${++entries}`),
    toolCallId: () => asToolCallId(`tc_${++toolCalls}`),
  }
}

import { asUserId, evolve, type EventStore, type SessionId, type SessionState } from '@polylogue/engine'

const OWNER = asUserId('ann')

/** The state of a session as its log has it, which of these keys it remembers, and every call id it ever used. */
export async function readStored(
  store: EventStore,
  sessionId: SessionId,
  keys: readonly string[],
): Promise<[SessionState | undefined, { keys: ReadonlySet<string>; callIds: readonly string[] }]> {
  let state: SessionState | undefined
  const callIds: string[] = []
  for (const recorded of await store.readEvents(sessionId, 0, 100_000)) {
    state = evolve(state, recorded)
    if (recorded.event.type !== 'step.answered') continue
    for (const block of recorded.event.blocks) if (block.type === 'tool-call') callIds.push(block.toolCallId)
  }
  const known = new Set<string>()
  for (const key of keys) if ((await store.findReceipt(OWNER, sessionId, key)) !== undefined) known.add(key)
  return [state, { keys: known, callIds }]
}

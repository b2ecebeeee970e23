import { asUserId, evolve, textOf, type EventStore, type SessionId, type SessionState } from '@polylogue/engine'
import { readWholeLog } from '../../support/read-whole-log.ts'

const OWNER = asUserId('ann')

export interface Stored {
  /** Those that it remembers. */
  readonly keys: ReadonlySet<string>
  /** Every one that it ever used. */
  readonly callIds: readonly string[]
  /** Inputs that were dropped and not admitted again. */
  readonly dropped: ReadonlySet<string>
}

/** The state of a session as its log has it, and what else can be asked of it. */
export async function readStored(
  store: EventStore,
  sessionId: SessionId,
  keys: readonly string[],
): Promise<[SessionState | undefined, Stored]> {
  let state: SessionState | undefined
  const callIds: string[] = []
  const dropped = new Set<string>()
  for (const recorded of await readWholeLog(store, sessionId)) {
    const { event } = recorded
    if (event.type === 'input.admitted') dropped.delete(textOf(event.content))
    if (event.type === 'input.dropped')
      for (const { inputId, content } of state?.queue ?? []) if (inputId === event.inputId) dropped.add(textOf(content))
    state = evolve(state, recorded)
    if (event.type !== 'step.answered') continue
    for (const block of event.blocks) if (block.type === 'tool-call') callIds.push(block.toolCallId)
  }
  const known = new Set<string>()
  for (const key of keys) if ((await store.findReceipt(OWNER, sessionId, key)) !== undefined) known.add(key)
  return [state, { keys: known, callIds, dropped }]
}

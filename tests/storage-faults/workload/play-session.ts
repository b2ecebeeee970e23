import {
  asEntryId,
  asTurnId,
  evolve,
  type AppendRequest,
  type EventStore,
  type Fence,
  type Recorded,
  type RecordedEvent,
  type SessionState,
} from '@polylogue/engine'
import { OWNER, type TurnBatch, batchesOfTurn, pictureOf, sessionIdOf } from './session-log.ts'

export interface PlayOptions {
  readonly session: number
  /** The number of turns already in the store. */
  readonly after?: number
  readonly turns: number
  /** About a fifth of what one turn adds to the log, in characters. */
  readonly size: number
  /** Called when an append is on disk. */
  readonly stored: (session: number, lastSeq: number) => void
}

/**
 * Appends turns to one session as an engine does: with receipts, names, blobs, leases, drafts and snapshots. Nothing
 * depends on time or chance. Rejects with the error of the store.
 */
export async function playSession(store: EventStore, options: PlayOptions): Promise<void> {
  const { session, after = 0, turns, size } = options
  const sessionId = sessionIdOf(session)
  let state = foldTurns(session, after, size)
  for (let turn = after + 1; turn <= after + turns; turn++) {
    let fence: Fence | undefined
    for (const [index, batch] of batchesOfTurn(session, turn, size).entries()) {
      const { request, next } = toAppend(batch, { session, turn, index, size, state, fence })
      const result = await store.append(request)
      if (result.type !== 'appended') throw new Error(`session ${session} met a conflict: ${result.reason}`)
      state = next
      options.stored(session, result.lastSeq)
      if (batch.isAdmission) fence = await store.claim(sessionId, 'player', 5_000)
      if (fence !== undefined && index === 1) {
        const draft = { stepId: asEntryId(`entry_step_${turn}`), block: 0, kind: 'text', text: 'answ' } as const
        await store.saveDrafts(sessionId, fence, [draft])
      }
    }
    if (fence !== undefined) await store.release(sessionId, fence)
  }
}

interface Place {
  readonly session: number
  readonly turn: number
  readonly index: number
  readonly size: number
  readonly state: SessionState | undefined
  readonly fence: Fence | undefined
}

function toAppend(batch: TurnBatch, place: Place): { readonly request: AppendRequest; readonly next: SessionState } {
  const { session, turn, index, state, fence } = place
  const at = atOf(turn, index)
  const expectedSeq = state?.seq ?? 0
  const next = fold(state, batch.events, at)
  const { names, isAdmission, endsTurn } = batch
  const picture = pictureOf(session, turn)
  const answered = batch.events.find((event) => event.type === 'step.answered')
  return {
    next,
    request: {
      sessionId: sessionIdOf(session),
      expectedSeq,
      ...(expectedSeq === 0 && { create: { userId: OWNER } }),
      at,
      events: batch.events,
      ...(fence && { fence }),
      wanted: !endsTurn,
      ...((isAdmission || endsTurn) && { summary: JSON.stringify({ session, turn, isOpen: !endsTurn }) }),
      ...(endsTurn && { snapshot: JSON.stringify(next) }),
      ...(isAdmission && {
        receipt: {
          userId: OWNER,
          key: `key-${turn}`,
          fingerprint: 'f',
          turnId: asTurnId(`turn_${turn}`),
          firstEvent: 0,
        },
        ...(picture && { blobs: [{ ...picture, mediaType: 'image/png' }] }),
      }),
      ...(names && { names }),
      ...(answered && { clearDrafts: [answered.stepId] }),
    },
  }
}

/** The state after this many turns, from which a player can continue. */
export function foldTurns(session: number, turns: number, size: number): SessionState | undefined {
  let state: SessionState | undefined
  for (let turn = 1; turn <= turns; turn++) {
    for (const [index, { events }] of batchesOfTurn(session, turn, size).entries()) {
      state = fold(state, events, atOf(turn, index))
    }
  }
  return state
}

const atOf = (turn: number, index: number): number => 1_000 * turn + index

function fold(state: SessionState | undefined, events: readonly RecordedEvent[], at: number): SessionState {
  let next = state
  for (const event of events) {
    const recorded: Recorded = { seq: (next?.seq ?? 0) + 1, at, event }
    next = evolve(next, recorded)
  }
  if (next === undefined) throw new Error('a batch has events')
  return next
}

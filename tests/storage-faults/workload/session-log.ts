/**
 * A reproducible session log: the same session and turn give the same events. A program appends them, and a checker of
 * its database knows what must be there.
 */
import { createHash } from 'node:crypto'
import {
  createSettings,
  ROOT_LOOP,
  asEntryId,
  asSessionId,
  asToolCallId,
  asTurnId,
  asUserId,
  type RecordedEvent,
  type SessionId,
} from '@polylogue/engine'

export const OWNER = asUserId('ann')

export const sessionIdOf = (session: number): SessionId =>
  asSessionId(`00000000-0000-7000-8000-${String(session).padStart(12, '0')}`)

/** Unique in its session. */
export const inputOf = (session: number, turn: number, size: number): string =>
  `question ${turn} of session ${session} ${'·'.repeat(size)}`

/** The content of each append of one turn. The first turn also creates the session. */
export interface TurnBatch {
  readonly events: readonly RecordedEvent[]
  /** The ids of the calls that this batch requests. */
  readonly names?: readonly string[]
  readonly isAdmission?: true
  readonly endsTurn?: true
}

export function batchesOfTurn(session: number, turn: number, size: number): readonly TurnBatch[] {
  const turnId = asTurnId(`turn_${turn}`)
  const inputId = asEntryId(`entry_input_${turn}`)
  const stepId = asEntryId(`entry_step_${turn}`)
  const toolCallId = asToolCallId(`tc_${turn}`)
  const created: RecordedEvent = {
    type: 'session.created',
    sessionId: sessionIdOf(session),
    userId: OWNER,
    agent: 'scripted',
    settings: createSettings({ access: { type: 'preset' } }),
  }
  const text = `answer ${turn} ${'=*'.repeat(size)}`
  return [
    {
      events: [
        ...(turn === 1 ? [created] : []),
        { type: 'input.admitted', inputId, turnId, content: inputOf(session, turn, size) },
        { type: 'turn.started', turnId, inputId, recovery: 'continue' },
      ],
      isAdmission: true,
    },
    { events: [{ type: 'step.started', turnId, stepId, loopId: ROOT_LOOP, model: 'scripted' }] },
    {
      events: [
        {
          type: 'step.answered',
          turnId,
          stepId,
          blocks: [
            { type: 'text', text },
            { type: 'tool-call', toolCallId, name: 'echo', input: { msg: text } },
          ],
          routes: { [toolCallId]: 'server' },
          finish: 'tool-calls',
          usage: { inputTokens: 1, outputTokens: 1 },
        },
      ],
      names: [toolCallId],
    },
    { events: [{ type: 'tool-call.started', turnId, toolCallId, attempt: 1, callHash: 'hash' }] },
    {
      events: [
        { type: 'tool-call.settled', turnId, toolCallId, status: 'completed', output: text, by: 'tool' },
        { type: 'step.ended', turnId, stepId, outcome: 'completed' },
        { type: 'turn.ended', turnId, outcome: 'finished' },
      ],
      endsTurn: true,
    },
  ]
}

/** The whole log after this many turns. */
export function eventsOfSession(session: number, turns: number, size: number): readonly RecordedEvent[] {
  return Array.from({ length: turns }, (_, index) => batchesOfTurn(session, index + 1, size)).flatMap((batches) =>
    batches.flatMap(({ events }) => events),
  )
}

/** Attached to every fourth input, starting with the first. */
export function pictureOf(
  session: number,
  turn: number,
): { readonly hash: string; readonly bytes: Buffer } | undefined {
  if (turn % 4 !== 1) return undefined
  const bytes = Buffer.from(`picture ${turn} of ${session}`.repeat(50))
  return { hash: createHash('sha256').update(bytes).digest('hex'), bytes }
}

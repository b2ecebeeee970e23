import { asTurnId, asUserId, type AppendRequest, type SessionId } from '@polylogue/engine'

/** One event after `expectedSeq`, with a text of `size` characters; the first one creates the session. */
export function sampleAppend(sessionId: SessionId, expectedSeq: number, size = 100): AppendRequest {
  return {
    sessionId,
    expectedSeq,
    ...(expectedSeq === 0 && { create: { userId: asUserId('local') } }),
    at: 1,
    events: [{ type: 'turn.cancel-requested', turnId: asTurnId('turn_1'), reason: 'x'.repeat(size) }],
    wanted: false,
  }
}

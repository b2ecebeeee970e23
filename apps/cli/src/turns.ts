import {
  toStreamedUpdate,
  toStreamedUpdates,
  toTurnMessages,
  type AapClient,
  type CallAnswer,
  type StreamMode,
  type StreamedUpdate,
} from '@polylogue/aap/client'

export interface TurnInput {
  readonly sessionId: string
  readonly stream: StreamMode
  /** What the user says, or the answers to the calls that the session waits for. */
  readonly say: string | readonly CallAnswer[]
}

/** Begins or continues a turn and follows it to its stop. The turn runs once, however often the connection breaks. */
export async function* runTurn(aap: AapClient, { sessionId, stream, say }: TurnInput): AsyncGenerator<StreamedUpdate> {
  const turn = { stream, messages: toTurnMessages(say), idempotencyKey: crypto.randomUUID() }
  if (stream === 'none') yield* toStreamedUpdates(await aap.turn(sessionId, turn))
  else for await (const received of aap.streamTurn(sessionId, turn)) yield toStreamedUpdate(received)
}

/** Follows the turn that is running, from the cursor on. */
export async function* attachTurn(aap: AapClient, sessionId: string, after: string): AsyncGenerator<StreamedUpdate> {
  for await (const received of aap.attachTurn(sessionId, after)) yield toStreamedUpdate(received)
}

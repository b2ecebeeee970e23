import { EngineError, asToolCallId, type AdmittedTurn, type Digest, type Engine } from '@polylogue/engine'
import { toAnswerCalls, type SendTarget } from './commands.ts'
import type { SendRequest } from '../schema/client-events.ts'

/** No call has an empty id, so an answer to it is always refused. */
const NO_CALL = asToolCallId('')

/**
 * Finds the turn of a message that was accepted before, by its `client_message_id`. Returns `undefined` for a new message.
 * Changes nothing: the engine looks for the receipt first, and then refuses this answer.
 */
export async function findRepeated(
  { engine, digest }: { readonly engine: Pick<Engine, 'execute'>; readonly digest: Digest },
  target: SendTarget,
  request: SendRequest,
): Promise<AdmittedTurn | undefined> {
  if (request.client_message_id === undefined) return undefined
  const answer = { type: 'result', toolCallId: NO_CALL, content: '' } as const
  try {
    return await engine.execute(toAnswerCalls(target, request, { answer, digest }))
  } catch (error) {
    if (error instanceof EngineError && error.code === 'unknown-tool-call') return undefined
    throw error
  }
}

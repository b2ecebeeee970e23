import type { ConversationMessage } from '../content.ts'
import { EngineError } from '../errors.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { SessionId } from '../ids.ts'
import { Transcript } from '../views/transcript.ts'

/** What is in memory at each pause of a slow reader, and in the way of the garbage collector. */
const HISTORY_PAGE = 250

/**
 * The complete conversation up to an event, message by message. It holds one page of the log at a time, however long the
 * session is and however slowly the messages are taken. Throws `session-not-found` if the session is deleted meanwhile.
 */
export async function* streamHistory(
  store: Pick<EventStore, 'readEvents'>,
  sessionId: SessionId,
  lastSeq: number,
): AsyncGenerator<ConversationMessage> {
  const transcript = new Transcript()
  for (let after = 0; after < lastSeq;) {
    const page = await store.readEvents(sessionId, after, Math.min(HISTORY_PAGE, lastSeq - after))
    const last = page.at(-1)
    if (last === undefined) throw new EngineError('session-not-found', 'the session was deleted')
    for (const recorded of page) transcript.apply(recorded)
    after = last.seq
    // `yield*` in an async generator awaits each message three times more.
    for (const message of transcript.takeFinal()) yield message
  }
  for (const message of transcript.messages()) yield message
}

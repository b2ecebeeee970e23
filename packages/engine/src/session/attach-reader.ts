import type { Cursor } from '../events/live-event.ts'
import type { EventStore } from '../ports/event-store.ts'
import { EngineError } from '../errors.ts'
import type { Attachment, SessionReader } from '../events/session-reader.ts'
import type { OpenSession } from './open-session.ts'

const PAGE = 500

export interface AttachOptions {
  readonly session: OpenSession
  readonly store: EventStore
  readonly after: Cursor
}

/** Replays the log page by page until the remaining events are in memory. Then the feed takes over without a gap. */
export async function attachReader(
  { session, store, after: cursor }: AttachOptions,
  reader: SessionReader,
): Promise<Attachment> {
  const { feed } = session
  let isDetached = false
  let seq = Math.min(cursor.seq, session.state.seq)
  for (;;) {
    await feed.settled()
    if (feed.isHeld) continue
    if (feed.reaches(seq, session.state.seq)) break
    const stored = await store.readEvents(session.id, seq, PAGE)
    // What another process has appended since comes through the feed when the session has caught up.
    const page = stored.filter((recorded) => recorded.seq <= session.state.seq)
    for (const recorded of page) if (reader.recorded(recorded) === 'enough') return { detach: () => undefined }
    if (page.length === 0) await refuseIfCut(session, store)
    seq = page.at(-1)?.seq ?? seq
    if (session.isGone) throw new EngineError('session-not-found', 'there is no such session')
  }
  feed.join(reader, seq, cursor)
  return {
    detach() {
      if (isDetached) return
      isDetached = true
      feed.leave(reader)
    },
  }
}

/** The log is shorter than the folded state: the session was deleted, or the database was restored from a backup. */
async function refuseIfCut(session: OpenSession, store: EventStore): Promise<void> {
  const { seq } = session.state
  const head = await store.readHead(session.id)
  if (head === undefined) session.markGone()
  else if (head.lastSeq < seq) session.refuseStale()
}

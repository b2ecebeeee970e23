import type { EventStore, Recorded, SessionId } from '@polylogue/engine'

/** Every event of a session: a store returns at most `PAGE_BYTES` at a time. */
export async function readWholeLog(
  store: Pick<EventStore, 'readEvents'>,
  sessionId: SessionId,
): Promise<readonly Recorded[]> {
  const log: Recorded[] = []
  for (;;) {
    const page = await store.readEvents(sessionId, log.at(-1)?.seq ?? 0, 10_000)
    if (page.length === 0) return log
    for (const recorded of page) log.push(recorded)
  }
}

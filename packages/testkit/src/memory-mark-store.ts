import type { EventStore, MarkStore, StoredMark } from '@polylogue/engine'

/** Keeps marks of the sessions of an event store. */
export function createMemoryMarkStore(events: Pick<EventStore, 'readHead'>): MarkStore {
  let kept: readonly (StoredMark & { readonly sessionId: string; readonly door: string; readonly format: number })[] =
    []
  return {
    async keep(sessionId, { door, format }, marks) {
      if ((await events.readHead(sessionId)) === undefined) return
      kept = kept.filter((mark) => mark.sessionId !== sessionId || mark.door !== door || mark.format >= format)
      const known = new Set((await this.read(sessionId, { door, format })).map(({ seq }) => seq))
      const added = marks.filter(({ seq }) => !known.has(seq))
      kept = [...kept, ...added.map((mark) => ({ ...mark, sessionId, door, format }))]
    },
    async read(sessionId, { door, format }) {
      if ((await events.readHead(sessionId)) === undefined) return []
      return kept
        .filter((mark) => mark.sessionId === sessionId && mark.door === door && mark.format === format)
        .map(({ seq, content }) => ({ seq, content }))
        .toSorted((a, b) => a.seq - b.seq)
    },
  }
}

/** A session as it was after an event. */
import type { ConsoleClient, UsageReport } from '@polylogue/client/console'
import type { Notifier } from './notifier.ts'
import { RowPages, readPage } from './row-pages.ts'
import { outlineOf, type SessionOutline } from './session-outline.ts'
import type { TurnSource } from './turn-source.ts'

export const pastKey = (sessionId: string): string => `past:${sessionId}`

export interface PastSession extends TurnSource {
  readonly seq: number
  /** The number of recorded events. */
  readonly last: number
  readonly pages: RowPages
  readonly outline: SessionOutline
}

export async function readPast(id: string, at: number, notifier: Notifier): Promise<PastSession> {
  const pages = new RowPages(id, { at, changed: () => notifier.changed(pastKey(id)) })
  const page = await readPage(id, { at })
  pages.takeTail(page)
  return {
    id,
    seq: page.seq,
    last: page.last,
    pages,
    fold: pages.fold,
    outline: outlineOf(pages.fold.turns),
    mayChange: false,
    childrenOf: (toolCallId) => pages.childrenOf(toolCallId),
  }
}

/** What the session had cost when the event was recorded. Nothing for a guest. */
export async function readPastSpent(
  api: ConsoleClient,
  { id, seq }: Pick<PastSession, 'id' | 'seq'>,
): Promise<UsageReport | undefined> {
  const { events } = await api.readEvents({ id, query: { after: seq - 1, limit: 1 } })
  const [event] = events
  if (event === undefined) return undefined
  return api.readUsage({ query: { by: 'sub-agent', session: id, until: `${event.at + 1}` } })
}

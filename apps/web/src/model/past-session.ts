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
  /** Whether the last page was read, and not only its last rows. */
  readonly isWhole: boolean
}

/** As many rows as a window has room for. Above them are gaps, which load when they are in view. */
const ROWS_OF_STEP = 12

interface PastAsked {
  readonly id: string
  readonly seq: number
  /** The state that is shown until now. A step from there reads the last rows only, and keeps what stands beside the chat. */
  readonly before?: PastSession | undefined
}

export async function readPast({ id, seq: at, before }: PastAsked, notifier: Notifier): Promise<PastSession> {
  const pages = new RowPages(id, { at, changed: () => notifier.changed(pastKey(id)) })
  const page = await readPage(id, { at, ...(before && { limit: ROWS_OF_STEP }) })
  pages.takeTail(page)
  return {
    id,
    seq: page.seq,
    last: page.last,
    pages,
    fold: pages.fold,
    outline: before?.outline ?? outlineOf(pages.fold.turns),
    isWhole: before === undefined,
    mayChange: false,
    childrenOf: (toolCallId) => pages.childrenOf(toolCallId),
  }
}

/** With the page that a step has left out, and what stands beside the chat. */
export async function completePast(past: PastSession): Promise<PastSession> {
  if (past.isWhole) return past
  const { id, seq, pages } = past
  pages.takeEarlier(await readPage(id, { at: seq }))
  return { ...past, isWhole: true, outline: outlineOf(pages.fold.turns) }
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

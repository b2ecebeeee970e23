import type { SessionView, UserId } from '@polylogue/engine'
import type { Hit, searchOperations } from '../contract/search.ts'
import type { Answers } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'
import { toSessionJson } from './encode-session.ts'
import { findPlace } from './find-place.ts'

type SearchDeps = Pick<ConsoleDeps, 'engine' | 'events'>

/** With a filter, at most so many sessions are looked at for one page. */
const MOST_LOOKED = 5_000
const PAGE = 200

interface Asked {
  readonly q?: string | undefined
  readonly status?: SessionView['status'] | undefined
  readonly agent?: string | undefined
  readonly via?: string | undefined
  readonly offset: number
  readonly limit: number
}

interface Found {
  readonly views: readonly SessionView[]
  readonly total?: number
  readonly next?: number
  readonly isPartial?: true
}

export function answerSearch({ engine, events }: SearchDeps): Answers<typeof searchOperations> {
  return {
    async findSessions({ caller: { userId }, query }) {
      const { views, ...page } = await find(engine, userId, query)
      const hits: Hit[] = []
      for (const view of views) {
        const place = query.q === undefined ? undefined : await findPlace(events, view.sessionId, query.q)
        hits.push({ session: toSessionJson(view), ...(place && { place }) })
      }
      return { hits, ...page }
    },
  }
}

/** A filter is no part of the store's index, so sessions are looked at page by page until enough are found. */
async function find(engine: SearchDeps['engine'], userId: UserId, asked: Asked): Promise<Found> {
  const { q, status, agent, via, limit } = asked
  const search = { ...(q !== undefined && { text: q }), order: 'newest-first' as const }
  const isFiltered = status !== undefined || agent !== undefined || via !== undefined
  if (!isFiltered) {
    const { sessions, total, isPartial } = await engine.findSessions(userId, { ...search, offset: asked.offset, limit })
    const next = asked.offset + sessions.length
    return {
      views: sessions,
      total,
      ...(next < total && sessions.length > 0 && { next }),
      ...(isPartial && { isPartial }),
    }
  }
  const views: SessionView[] = []
  let offset = asked.offset
  for (const end = offset + MOST_LOOKED; offset < end;) {
    const page = await engine.findSessions(userId, { ...search, offset, limit: PAGE })
    for (const view of page.sessions) {
      if (views.length === limit) return { views, next: offset, ...(page.isPartial && { isPartial: true }) }
      offset++
      const isWanted =
        (status ?? view.status) === view.status &&
        (agent ?? view.agent) === view.agent &&
        (via ?? view.via) === view.via
      if (isWanted) views.push(view)
    }
    if (page.sessions.length === 0) return { views, ...(page.isPartial && { isPartial: true }) }
  }
  return { views, next: offset }
}

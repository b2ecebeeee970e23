import type { SessionMatches, SessionSearch, UserId } from '@polylogue/engine'
import { z } from 'zod'
import { count, text } from '../schema/fields.ts'
import { sessionSchema } from '../schema/session.ts'
import type { Session } from '../wire.ts'
import type { BladeRestDeps } from './deps.ts'
import { toSession } from './encode-session.ts'
import { pageOperation, type Operation } from './operation.ts'

const MOST_LISTED = 1_000

const listQuery = z.object({
  q: text(1, 500).optional(),
  template_id_prefix: z.string().optional(),
  limit: count(1, Number.MAX_SAFE_INTEGER, 20).describe(
    `At most ${MOST_LISTED}; larger values count as ${MOST_LISTED}`,
  ),
  offset: count(0, Number.MAX_SAFE_INTEGER, 0),
})

type Deps = Pick<BladeRestDeps, 'engine' | 'agents'>

export function listSessionsOperation(deps: Deps): Operation {
  return pageOperation({
    method: 'GET',
    path: '/api/sessions',
    name: 'listSessions',
    tag: 'Sessions',
    summary: 'List your sessions: pinned ones first, then by last change',
    query: listQuery,
    items: z.array(sessionSchema),
    rest: z.object({
      total: z.int().min(0),
      limit: z.int(),
      offset: z.int(),
      content_match_truncated: z.boolean(),
    }),
    async run({ caller: { userId }, query: { q, template_id_prefix: template, offset, ...query } }) {
      const limit = Math.min(query.limit, MOST_LISTED)
      const search = { offset, limit, ...(q !== undefined && { text: q }) }
      // This server has no templates.
      const first = template === undefined ? await deps.engine.findSessions(userId, search) : { sessions: [], total: 0 }
      return {
        items: sessionsFrom(first, { userId, search }, deps),
        rest: { total: first.total, limit, offset, content_match_truncated: first.isPartial === true },
      }
    },
  })
}

interface Listed {
  readonly userId: UserId
  readonly search: SessionSearch
}

/** Large sessions come in several pages. One that moves in between is listed once. */
async function* sessionsFrom(
  first: SessionMatches,
  { userId, search }: Listed,
  { engine, agents }: Deps,
): AsyncGenerator<Session> {
  const listed = new Set<string>()
  const { offset, limit } = search
  let read = 0
  for (let { sessions } = first; sessions.length > 0;) {
    read += sessions.length
    for (const view of sessions) {
      if (listed.has(view.sessionId)) continue
      listed.add(view.sessionId)
      yield toSession(view, agents)
    }
    if (read >= limit || offset + read >= first.total) return
    ;({ sessions } = await engine.findSessions(userId, { ...search, offset: offset + read, limit: limit - read }))
  }
}

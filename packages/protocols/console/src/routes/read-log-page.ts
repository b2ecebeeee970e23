import type { Recorded, SessionId } from '@polylogue/engine'
import type { ConsoleDeps } from './deps.ts'

export interface LogQuery {
  readonly sessionId: SessionId
  readonly lastSeq: number
  readonly after: number
  readonly before?: number | undefined
  readonly type?: string | undefined
  readonly limit: number
}

export interface LogPage {
  readonly page: readonly Recorded[]
  /** Where the next page starts, or with `before` where the previous one ends. */
  readonly next?: number
}

/** Events that one request looks at while it searches for a type. */
const MOST_LOOKED_AT = 20_000
const CHUNK = 1_000

type Events = Pick<ConsoleDeps['events'], 'readEvents'>

export const readLogPage = (events: Events, query: LogQuery): Promise<LogPage> =>
  query.before === undefined ? readOnwards(events, query) : readBackwards(events, { ...query, before: query.before })

async function readOnwards(events: Events, { sessionId, lastSeq, after, type, limit }: LogQuery): Promise<LogPage> {
  const page: Recorded[] = []
  let seq = after
  for (let looked = 0; page.length < limit && seq < lastSeq && looked < MOST_LOOKED_AT;) {
    const chunk = await events.readEvents(sessionId, seq, type === undefined ? limit - page.length : CHUNK)
    if (chunk.length === 0) break
    for (const recorded of chunk) {
      if (page.length === limit) break
      seq = recorded.seq
      looked += 1
      if (type === undefined || recorded.event.type === type) page.push(recorded)
    }
    // A page of large events has fewer than `limit`.
    if (type === undefined) break
  }
  return { page, ...(seq > after && (page.length === limit || seq < lastSeq) && { next: seq }) }
}

async function readBackwards(
  events: Events,
  { sessionId, lastSeq, before, type, limit }: LogQuery & { readonly before: number },
): Promise<LogPage> {
  let page: readonly Recorded[] = []
  let end = Math.min(before, lastSeq + 1)
  for (let looked = 0; page.length < limit && end > 1 && looked < MOST_LOOKED_AT;) {
    const start = Math.max(0, end - 1 - (type === undefined ? limit - page.length : CHUNK))
    const chunk = await readBetween(events, { sessionId, after: start, before: end })
    const found = type === undefined ? chunk : chunk.filter(({ event }) => event.type === type)
    page = [...found, ...page]
    looked += chunk.length
    end = start + 1
  }
  const last = page.slice(-limit)
  const next = last.length < page.length ? (last[0]?.seq ?? 1) : end
  return { page: last, ...(next > 1 && { next }) }
}

/** A page of large events ends early. */
async function readBetween(
  events: Events,
  { sessionId, after, before }: { readonly sessionId: SessionId; readonly after: number; readonly before: number },
): Promise<readonly Recorded[]> {
  const found: Recorded[] = []
  for (let seq = after; seq < before - 1;) {
    const chunk = await events.readEvents(sessionId, seq, before - 1 - seq)
    const last = chunk.at(-1)
    if (last === undefined) break
    found.push(...chunk)
    seq = last.seq
  }
  return found
}

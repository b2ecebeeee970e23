import {
  hasTerm,
  spokenText,
  toSearchTerms,
  toSearchTokens,
  type EventStore,
  type RecordedEvent,
  type SearchTerm,
  type SessionId,
} from '@polylogue/engine'
import type { Hit } from '../contract/search.ts'

const PAGE = 500
/** Further back, a place is not looked for: a list of hits must not read logs without end. */
const MOST_EVENTS = 20_000
const AROUND = 60

type Place = NonNullable<Hit['place']>

/** Where a session says the words of a query: the first text that has all of them, or else the one that has most. */
export async function findPlace(
  events: Pick<EventStore, 'readEvents'>,
  sessionId: SessionId,
  query: string,
): Promise<Place | undefined> {
  const terms = toSearchTerms(query)
  if (terms.length === 0) return undefined
  let best: { readonly place: Place; readonly count: number } | undefined
  for (let after = 0; after < MOST_EVENTS;) {
    const page = await events.readEvents(sessionId, after, PAGE)
    for (const { seq, event } of page) {
      const text = spokenText(event)
      const count = text === '' ? 0 : countTerms(text, terms)
      if (count <= (best?.count ?? 0)) continue
      best = { place: { seq, ...speakerOf(event), ...cut(text, query) }, count }
      if (count === terms.length) return best.place
    }
    const last = page.at(-1)?.seq
    if (last === undefined) break
    after = last
  }
  return best?.place
}

function countTerms(text: string, terms: readonly SearchTerm[]): number {
  const tokens = toSearchTokens(text)
  return terms.filter((term) => hasTerm(tokens, term)).length
}

function speakerOf(event: RecordedEvent): Pick<Place, 'entryId' | 'speaker'> {
  if (event.type === 'input.admitted' || event.type === 'input.changed')
    return { entryId: event.inputId, speaker: 'user' }
  if (event.type === 'step.answered' || event.type === 'step.ended') return { entryId: event.stepId, speaker: 'agent' }
  return { speaker: 'user' }
}

/** The text around the first word of the query that stands in it as it was typed. */
function cut(text: string, query: string): Pick<Place, 'before' | 'match' | 'after'> {
  const line = text.replace(/\s+/g, ' ').trim()
  const lower = line.toLowerCase()
  // Some capital letters have a longer lower case, which would move every place after them.
  const words = lower.length === line.length ? [query, ...query.split(/[^\p{L}\p{N}\p{M}]+/u)] : []
  for (const word of words) {
    const at = word === '' ? -1 : lower.indexOf(word.toLowerCase())
    if (at === -1) continue
    const start = Math.max(0, at - AROUND)
    const end = at + word.length
    return {
      before: `${start > 0 ? '…' : ''}${line.slice(start, at).toWellFormed()}`,
      match: line.slice(at, end),
      after: `${line.slice(end, end + AROUND).toWellFormed()}${end + AROUND < line.length ? '…' : ''}`,
    }
  }
  return { before: line.slice(0, 2 * AROUND).toWellFormed(), match: '', after: line.length > 2 * AROUND ? '…' : '' }
}

import {
  EngineError,
  textOf,
  type Engine,
  type ConversationMessage,
  type SessionMatches,
  type SessionView,
  type UserId,
} from '@polylogue/engine'
import { setImmediate } from 'node:timers/promises'

/** How much of what was said is looked at in one search; what lies further back is found by its title alone. */
export const SEARCH_LIMITS = { sessions: 200, events: 10_000, page: 50 } as const

export interface FoundSessions extends SessionMatches {
  /** Not everything that was said was looked at. */
  readonly isTruncated: boolean
}

type Reading = Pick<Engine, 'findSessions' | 'readHistory'>

/**
 * The sessions in whose title or text the words occur, in the order of the list. Titles are found by the store, all of
 * them; texts are read here, the newest sessions first. The page is cut out of both lists put together.
 */
export async function findSessions(
  engine: Reading,
  userId: UserId,
  words: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<FoundSessions> {
  const { said, isTruncated } = await findSaid(engine, userId, words)
  // Of the sessions before the page at most these many were found by their text: from here on both lists are needed.
  const from = Math.max(0, offset - said.length)
  const titled = await engine.findSessions(userId, { title: words, offset: from, limit: offset + limit - from })
  const all = [...said, ...titled.sessions].sort(inListOrder)
  return {
    sessions: all.slice(offset - from, offset - from + limit),
    total: titled.total + said.length,
    isTruncated,
  }
}

/** Sessions whose title does not have the words, but their text has. */
async function findSaid(
  engine: Reading,
  userId: UserId,
  words: string,
): Promise<{ readonly said: readonly SessionView[]; readonly isTruncated: boolean }> {
  const said: SessionView[] = []
  let events = 0
  for (let offset = 0; offset < SEARCH_LIMITS.sessions; offset += SEARCH_LIMITS.page) {
    const { sessions, total } = await engine.findSessions(userId, { offset, limit: SEARCH_LIMITS.page })
    for (const session of sessions) {
      if (has(session.title ?? '', words)) continue
      events += session.lastSeq
      if (events > SEARCH_LIMITS.events) return { said, isTruncated: true }
      if (await says(engine, session, words)) said.push(session)
      // A search is long work; turns that stream must not wait for the whole of it.
      await setImmediate()
    }
    if (offset + sessions.length >= total || sessions.length === 0) return { said, isTruncated: false }
  }
  return { said, isTruncated: true }
}

async function says(engine: Reading, { userId, sessionId }: SessionView, words: string): Promise<boolean> {
  try {
    const history = await engine.readHistory(userId, sessionId, 'full')
    return history.some((message) => has(spokenIn(message), words))
  } catch (error) {
    // Deleted since it was listed.
    if (error instanceof EngineError && error.code === 'session-not-found') return false
    throw error
  }
}

/** What people and the agent said; not what tools answered. */
function spokenIn(message: ConversationMessage): string {
  return message.role === 'user' || message.role === 'assistant' ? textOf(message.content) : ''
}

// The store compares titles like this: a title that it finds must not be found again by its text.
const has = (text: string, words: string): boolean => foldCase(text).includes(foldCase(words))
const foldCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

function inListOrder(a: SessionView, b: SessionView): number {
  if (a.isPinned !== b.isPinned) return a.isPinned ? -1 : 1
  return b.updatedAt - a.updatedAt || (a.sessionId < b.sessionId ? 1 : -1)
}

import { EngineError, asSessionId, asUserId, type SessionSearch, type SessionView } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import { SEARCH_LIMITS, findSessions } from './find-sessions.ts'

const USER = asUserId('ann')

interface Kept {
  readonly title: string
  readonly text: string
  readonly lastSeq: number
}

/** The newest first, as the engine lists them. */
function listing(kept: readonly Kept[]) {
  const views = kept.map(({ title, lastSeq }, index): SessionView => ({
    sessionId: asSessionId(`s${String(10_000 - index)}`),
    userId: USER,
    agent: 'tester',
    access: { type: 'preset' },
    clientTools: [],
    options: {},
    preset: 'plan',
    title,
    directories: [],
    disabledTools: [],
    recallsMemories: true,
    isPinned: false,
    isShared: false,
    labels: {},
    queued: 0,
    status: 'idle',
    waitingCalls: [],
    lastSeq,
    createdAt: 0,
    updatedAt: 1_000 - index,
  }))
  const read: string[] = []
  return {
    read,
    views,
    async findSessions(_user: string, { title, offset, limit }: SessionSearch) {
      const matching = views.filter((view) => title === undefined || (view.title ?? '').toLowerCase().includes(title))
      return { sessions: matching.slice(offset, offset + limit), total: matching.length }
    },
    async readHistory(_user: string, sessionId: string) {
      read.push(sessionId)
      const found = kept[views.findIndex((view) => view.sessionId === sessionId)]
      return [{ role: 'user' as const, content: found?.text ?? '' }]
    },
  }
}

const many = (count: number, one: (index: number) => Kept) => Array.from({ length: count }, (_, index) => one(index))

describe('a search', () => {
  it('reads no more sessions than it may, and says so; titles are found beyond them', async () => {
    const engine = listing(
      many(SEARCH_LIMITS.sessions + 10, (index) => ({
        title: index === SEARCH_LIMITS.sessions + 5 ? 'walrus' : 'x',
        text: index === 3 || index > SEARCH_LIMITS.sessions ? 'a walrus' : '',
        lastSeq: 1,
      })),
    )
    const found = await findSessions(engine, USER, 'walrus', { offset: 0, limit: 20 })
    expect(found.sessions).toEqual([engine.views[3], engine.views[SEARCH_LIMITS.sessions + 5]])
    expect([found.total, found.isTruncated]).toEqual([2, true])
    expect(engine.read).toHaveLength(SEARCH_LIMITS.sessions)
  })

  it('reads no more events than it may', async () => {
    const half = SEARCH_LIMITS.events / 2
    const engine = listing(many(4, () => ({ title: 'x', text: 'a walrus', lastSeq: half })))
    const found = await findSessions(engine, USER, 'walrus', { offset: 0, limit: 20 })
    expect([found.total, found.isTruncated, engine.read.length]).toEqual([2, true, 2])
  })

  it('passes over a session that was deleted meanwhile', async () => {
    const engine = listing(many(2, () => ({ title: 'x', text: 'a walrus', lastSeq: 1 })))
    const readHistory = async (user: string, sessionId: string) => {
      if (sessionId === engine.views[0]?.sessionId) throw new EngineError('session-not-found', 'no such session')
      return engine.readHistory(user, sessionId)
    }
    const found = await findSessions({ ...engine, readHistory }, USER, 'walrus', { offset: 0, limit: 20 })
    expect(found.sessions).toEqual([engine.views[1]])
  })

  it('does not read what it found by the title', async () => {
    const engine = listing(many(3, () => ({ title: 'A Walrus', text: 'a walrus', lastSeq: 1 })))
    const found = await findSessions(engine, USER, 'walrus', { offset: 1, limit: 1 })
    expect(found).toEqual({ sessions: [engine.views[1]], total: 3, isTruncated: false })
    expect(engine.read).toEqual([])
  })
})

import type { SessionId } from '../ids.ts'
import { evolve } from '../state/evolve.ts'
import { readSnapshot } from '../state/snapshot.ts'
import { OpenSession, type SessionParts } from './open-session.ts'

const PAGE = 500

/** Reads the newest snapshot and the events after it. `undefined`: there is no such session. */
export async function loadSession(parts: SessionParts, sessionId: SessionId): Promise<OpenSession | undefined> {
  const { store } = parts
  const snapshot = await store.readSnapshot(sessionId)
  let state = snapshot && readSnapshot(snapshot.state)
  for (let isMore = true; isMore;) {
    const page = await store.readEvents(sessionId, state?.seq ?? 0, PAGE)
    for (const recorded of page) state = evolve(state, recorded)
    isMore = page.length > 0
  }
  return state && new OpenSession(parts, state, snapshot?.seq ?? 0)
}

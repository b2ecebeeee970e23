import { createFakeClock, createMemoryEventStore, createReaderLog, given } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { asEntryId, type RecordedEvent } from '../index.ts'
import { attachReader } from './attach-reader.ts'
import { storeNewSession } from './store-new-session.ts'

const seeded: RecordedEvent = {
  type: 'session.seeded',
  entryId: asEntryId('seed'),
  messages: [{ role: 'user', content: 'a long history' }],
}

async function create(events: readonly RecordedEvent[]) {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  const { sessionId, userId } = given.created()
  const batch = { events: [given.created(), ...events] }
  const { session } = await storeNewSession({ sessionId, userId, batch }, { store, clock })
  return { session, store }
}

describe('a new session', () => {
  it('keeps none of its history in memory, and readers get it from the store', async () => {
    const { session, store } = await create([seeded])
    expect(session.feed.reaches(0, session.state.seq)).toBe(false)
    const reader = createReaderLog()
    await attachReader({ session, store, after: { seq: 0 } }, reader)
    expect(reader.story()).toHaveLength(2)
  })

  it('that begins with a turn has its events in memory for the reader of this turn', async () => {
    const { session } = await create([given.admitted('in', 'turn'), given.turnStarted('turn', 'in')])
    expect(session.feed.reaches(0, session.state.seq)).toBe(true)
  })
})

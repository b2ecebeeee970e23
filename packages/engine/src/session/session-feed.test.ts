import { describe, expect, it } from 'vitest'
import { createFakeClock, createMemoryEventStore, createReaderLog } from '@polylogue/testkit'
import {
  createSettings,
  ROOT_LOOP,
  asEntryId,
  asSessionId,
  asTurnId,
  asUserId,
  type BlockDelta,
  type Recorded,
} from '../index.ts'
import { attachReader } from './attach-reader.ts'
import { storeNewSession } from './store-new-session.ts'
import { SessionFeed, type LiveStep } from './session-feed.ts'

const step = (text: string): LiveStep => ({
  turnId: asTurnId('turn'),
  loopId: ROOT_LOOP,
  stepId: asEntryId('step'),
  stepSeq: 4,
  blocks: [{ type: 'text', text }],
  inputs: [],
})

const delta = (offset: number, text: string): BlockDelta => {
  const { turnId, loopId, stepId, stepSeq } = step('')
  return { type: 'text.delta', turnId, loopId, stepId, stepSeq, block: 0, offset, text }
}

const paused = (seq: number): Recorded => ({ seq, at: 0, event: { type: 'turn.paused', turnId: asTurnId('turn') } })

describe('the way out of a session', () => {
  it('holds deltas back while an append is under way and lets them follow its events', () => {
    const feed = new SessionFeed()
    const reader = createReaderLog()
    feed.join(reader, 0, { seq: 0 })
    feed.hold()
    feed.publishDelta(delta(0, 'a'))
    feed.publishDelta(delta(1, 'b'))
    expect(reader.story()).toEqual([])
    feed.release([paused(5)])
    expect(reader.story()).toEqual(['turn.paused', '0.0 a', '0.1 b'])
  })

  it('holds deltas back until the last of several appends has ended', () => {
    const feed = new SessionFeed()
    const reader = createReaderLog()
    feed.join(reader, 0, { seq: 0 })
    feed.hold()
    feed.hold()
    feed.publishDelta(delta(0, 'a'))
    feed.release([paused(5)])
    feed.release([paused(6)])
    expect(reader.story()).toEqual(['turn.paused', 'turn.paused', '0.0 a'])
  })

  it('lets waiting deltas go when an append was refused', () => {
    const feed = new SessionFeed()
    const reader = createReaderLog()
    feed.join(reader, 0, { seq: 0 })
    feed.hold()
    feed.publishDelta(delta(0, 'a'))
    feed.release([])
    expect(reader.story()).toEqual(['0.0 a'])
  })

  it('says whether it still has everything after a seq', () => {
    const feed = new SessionFeed()
    for (let seq = 1; seq <= 300; seq++) feed.publish([paused(seq)])
    expect(feed.reaches(300, 300)).toBe(true)
    expect(feed.reaches(299, 300)).toBe(true)
    expect(feed.reaches(236, 300)).toBe(true)
    expect(feed.reaches(0, 300)).toBe(false)
  })

  it('gives late readers what it still has', () => {
    const feed = new SessionFeed()
    for (let seq = 1; seq <= 300; seq++) feed.publish([paused(seq)])
    const reader = createReaderLog()
    feed.join(reader, 297, { seq: 297 })
    expect(reader.seqs()).toEqual([298, 299, 300])
  })

  it('tells late joiners that it is closed', () => {
    const feed = new SessionFeed()
    feed.close('deleted')
    const reader = createReaderLog()
    feed.join(reader, 0, { seq: 0 })
    feed.publish([paused(1)])
    expect(reader.story()).toEqual(['closed: deleted'])
    expect(feed.readerCount).toBe(0)
  })
})

describe('joining', () => {
  it('waits for an append that began while it was waiting for another', async () => {
    for (let delay = 0; delay < 8; delay++) {
      const { session, store } = await openSession()
      const live = step('one ')
      session.feed.liveSteps.set(live.stepId, live)
      session.feed.hold()
      const reader = createReaderLog()
      const attaching = attachReader({ session, store, after: { seq: 1 } }, reader)
      session.feed.release([])
      for (let tick = 0; tick < delay; tick++) await Promise.resolve()
      session.feed.hold()
      live.blocks[0] = { type: 'text', text: 'one two' }
      session.feed.publishDelta(delta(4, 'two'))
      for (let tick = 0; tick < 8; tick++) await Promise.resolve()
      session.feed.release([])
      await attaching
      expect(
        reader
          .story()
          .join('')
          .replaceAll(/0\.\d /g, ''),
        `after ${delay} ticks`,
      ).toBe('one two')
    }
  })
})

async function openSession() {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  const sessionId = asSessionId('session')
  const userId = asUserId('ann')
  const { session } = await storeNewSession(
    {
      sessionId,
      userId,
      batch: {
        events: [
          {
            type: 'session.created',
            sessionId,
            userId,
            agent: 'tester',
            settings: createSettings({ access: { type: 'preset' } }),
          },
        ],
      },
    },
    { store, clock },
  )
  return { session, store }
}

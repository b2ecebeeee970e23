import { afterEach, describe, expect, it } from 'vitest'
import { EVENT_LEVELS, levelOfEvents, ownLevel, pretendLevel } from './levels.ts'
import { recordedEvent, type RecordedEvent } from './recorded-event.ts'
import { EVENT_VERSIONS } from './upcast.ts'

afterEach(() => pretendLevel(undefined))

const dropped = { type: 'session.fork-deleted', sessionId: 's' } as unknown as RecordedEvent
const ended = { type: 'turn.ended' } as unknown as RecordedEvent

describe('levels of events', () => {
  it('exist for every type, and this program reads all of them', () => {
    const types = recordedEvent.options.map(({ shape }) => shape.type.value)
    expect(Object.keys(EVENT_LEVELS).sort()).toEqual([...types].sort())
    expect(Math.max(...Object.values(EVENT_LEVELS))).toBe(ownLevel())
  })

  // A node of level 1 reads these versions. A higher version needs a higher level.
  it('of level 1 belong to the versions that nodes of level 1 can read', () => {
    const readable: Record<string, number> = { 'session.created': 2, 'session.configured': 2, 'step.answered': 2 }
    const lowest = Object.entries(EVENT_LEVELS).filter(([, level]) => level === 1)
    const beyond = lowest.filter(([type]) => (EVENT_VERSIONS[type] ?? 1) > (readable[type] ?? 1))
    expect(beyond).toEqual([])
  })

  it('of several events are that of the highest', () => {
    expect([levelOfEvents([]), levelOfEvents([dropped, ended])]).toEqual([1, 1])
    pretendLevel({ level: 3, type: 'turn.ended' })
    expect([ownLevel(), levelOfEvents([dropped]), levelOfEvents([dropped, ended, dropped])]).toEqual([3, 1, 3])
  })
})

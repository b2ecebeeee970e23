import {
  asSessionId,
  asTurnId,
  asUserId,
  type AppendRequest,
  type RecordedEvent,
  type SessionHead,
} from '@polylogue/engine'
import { untilQuiet } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createRunningTurns } from './running-turns.ts'

const anna = asUserId('anna')
const session = asSessionId('session-1')
const turnId = asTurnId('turn_1')
const started: RecordedEvent = { type: 'turn.started', turnId, recovery: 'continue' }
const paused: RecordedEvent = { type: 'turn.paused', turnId }
const resumed: RecordedEvent = { type: 'turn.resumed', turnId }
const ended: RecordedEvent = { type: 'turn.ended', turnId, outcome: 'finished' }
const step: RecordedEvent = { type: 'memories.recalled', turnId, memories: [] }
const takenOver: RecordedEvent = { type: 'turn.taken-over', turnId, count: 1 }

function request(events: readonly RecordedEvent[], create = false): AppendRequest {
  return {
    sessionId: session,
    expectedSeq: 0,
    at: 1,
    events,
    wanted: false,
    ...(create && { create: { userId: anna } }),
  }
}

function createTurns(head?: SessionHead) {
  return createRunningTurns({ isShared: false, readHead: async () => head })
}

describe('the running turns', () => {
  it('of a user are those that started and neither ended nor wait', () => {
    const turns = createTurns()
    turns.appended(request([started], true))
    expect([turns.count, turns.countOf(anna), turns.countOf(asUserId('bob'))]).toEqual([1, 1, 0])
    turns.appended(request([paused]))
    expect([turns.count, turns.countOf(anna)]).toEqual([0, 0])
    const done = turns.expect(anna, session)
    turns.appended(request([resumed]))
    done()
    expect([turns.count, turns.countOf(anna)]).toEqual([1, 1])
    turns.appended(request([ended, started]))
    expect([turns.count, turns.countOf(anna)]).toEqual([1, 1])
    turns.appended(request([ended]))
    turns.appended(request([{ type: 'turn.cancel-requested', turnId, reason: '' }]))
    expect([turns.count, turns.countOf(anna)]).toEqual([0, 0])
  })

  it('include those that are on their way, whether they arrive or not', () => {
    const turns = createTurns()
    const first = turns.expect(anna)
    const second = turns.expect(anna, session)
    expect(turns.countOf(anna)).toBe(2)
    first()
    second()
    expect(turns.countOf(anna)).toBe(0)
  })

  it('of a session that was taken over belong to the owner of the session', async () => {
    const turns = createTurns({ userId: anna, lastSeq: 3 })
    turns.appended(request([takenOver]))
    await untilQuiet()
    expect([turns.count, turns.countOf(anna)]).toEqual([1, 1])
    turns.deleted(session)
    expect([turns.count, turns.countOf(anna)]).toEqual([0, 0])
  })

  it('on a shared storage are those that this process runs, whoever started them', async () => {
    const turns = createRunningTurns({ isShared: true, readHead: async () => ({ userId: anna, lastSeq: 3 }) })
    const claim = { owner: 'me', leaseMs: 1 }
    const fence = { owner: 'me', epoch: 1 }
    turns.appended({ ...request([started]), wanted: true })
    expect([turns.count, turns.countOf(anna)]).toEqual([0, 0])
    turns.appended({ ...request([step]), wanted: true, fence })
    await untilQuiet()
    expect([turns.count, turns.countOf(anna)]).toEqual([1, 1])
    turns.deleted(session)
    expect([turns.count, turns.countOf(anna)]).toEqual([0, 0])
    turns.appended({ ...request([started], true), wanted: true, claim })
    expect([turns.count, turns.countOf(anna)]).toEqual([1, 1])
    turns.appended({ ...request([ended]), fence })
    expect([turns.count, turns.countOf(anna)]).toEqual([0, 0])
  })

  it('that ended before their user was known leave nothing behind', async () => {
    const turns = createTurns({ userId: anna, lastSeq: 3 })
    turns.appended(request([takenOver]))
    turns.appended(request([ended]))
    await untilQuiet()
    expect([turns.count, turns.countOf(anna)]).toEqual([0, 0])
  })
})

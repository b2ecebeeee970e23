import { describe, expect, it } from 'vitest'
import { createDecideContext, foldEvents, given } from '@polylogue/testkit'
import { asSessionId, asTurnId, asUserId, type CancelTurn, type RecordedEvent, type StartTurn } from '../index.ts'
import { decideCancel, decideStartTurn } from './decide-turn.ts'

const { call, text } = given
const RESTING = [given.created()]
const RUNNING = [...RESTING, given.admitted('i', 't'), given.turnStarted('t', 'i'), given.stepStarted('t', 's')]
const WAITING = [
  ...RUNNING,
  given.answered('t', 's', call('a', 'x'), call('b', 'client')),
  given.approvalRequested('t', 'a'),
  given.paused('t'),
]
const queued = (number: number) => given.admitted(`q${number}`, `t${number}`)
const ids = { userId: asUserId('ann'), sessionId: asSessionId('s') }

function startAfter(events: readonly RecordedEvent[], more: Partial<StartTurn> = {}) {
  const command: StartTurn = { type: 'start-turn', ...ids, content: 'go', whenRunning: 'refuse', ...more }
  return decideStartTurn(foldEvents(events), command, createDecideContext())
}

function cancelAfter(events: readonly RecordedEvent[], more: Partial<CancelTurn> = {}) {
  const command: CancelTurn = { type: 'cancel-turn', ...ids, reason: 'user', dropQueue: false, ...more }
  return decideCancel(foldEvents(events), command, { recovery: 'continue' }).events
}

describe('input', () => {
  it('at rest starts a turn, as a child of the newest entry', () => {
    const before = [...RUNNING, given.answered('t', 's', text('hi')), given.stepEnded('t', 's'), given.turnEnded('t')]
    expect(startAfter(before)).toEqual({
      events: [
        { type: 'input.admitted', inputId: 'entry_1', turnId: 'turn_1', content: 'go' },
        { type: 'turn.started', turnId: 'turn_1', inputId: 'entry_1', parentEntryId: 's', recovery: 'continue' },
      ],
      secrets: {},
      turnId: 'turn_1',
      firstEvent: 1,
      queued: false,
    })
  })

  it('while a turn runs is refused where the door wants that', () => {
    expect(() => startAfter(RUNNING)).toThrow(expect.objectContaining({ code: 'session-busy' }))
  })

  it('while a turn runs is queued where the door wants that', () => {
    const decision = startAfter(RUNNING, { whenRunning: 'queue' })
    expect(decision.events.map((event) => event.type)).toEqual(['input.admitted'])
    expect(decision).toMatchObject({ queued: true, firstEvent: 0 })
  })

  it('is refused when eight inputs are queued', () => {
    const full = [...RUNNING, ...Array.from({ length: 8 }, (_, index) => queued(index))]
    expect(() => startAfter(full, { whenRunning: 'queue' })).toThrow(expect.objectContaining({ code: 'queue-full' }))
    expect(startAfter(full.slice(0, -1), { whenRunning: 'queue' }).queued).toBe(true)
  })

  it('while a turn waits may wait for its end, where the door wants that', () => {
    const decided = startAfter(WAITING, { whenWaiting: 'queue' })
    expect(decided.events.map(({ type }) => type)).toEqual(['input.admitted'])
    expect(decided.queued).toBe(true)
    const full = [...WAITING, ...[1, 2, 3, 4, 5, 6, 7, 8].map(queued)]
    expect(() => startAfter(full, { whenWaiting: 'queue' })).toThrow(expect.objectContaining({ code: 'queue-full' }))
  })

  it('while a turn waits supersedes it, whatever the door says about running turns', () => {
    for (const whenRunning of ['refuse', 'queue'] as const) {
      const { events, firstEvent } = startAfter(WAITING, { whenRunning })
      expect(events.slice(0, 4)).toMatchObject([
        {
          type: 'tool-call.settled',
          toolCallId: 'a',
          status: 'cancelled',
          output: 'Tool call cancelled: superseded by a new user message',
        },
        { type: 'tool-call.settled', toolCallId: 'b', status: 'cancelled' },
        { type: 'step.ended', outcome: 'completed' },
        { type: 'turn.ended', outcome: 'cancelled' },
      ])
      expect(events.slice(4).map((event) => event.type)).toEqual(['input.admitted', 'turn.started'])
      expect(events[firstEvent]?.type).toBe('turn.started')
    }
  })

  it('blade 7.11: while a turn waits supersedes it, but not what is queued behind that turn', () => {
    const behind = [...RUNNING, queued(1), queued(2), ...WAITING.slice(RUNNING.length)]
    const decided = startAfter(behind, { whenRunning: 'queue', changes: { preset: 'full-access' } })
    expect(decided.events.map(({ type }) => type)).toEqual([
      'session.configured',
      'tool-call.settled',
      'tool-call.settled',
      'step.ended',
      'turn.ended',
      'input.admitted',
      'turn.started',
    ])
    expect(decided.events.at(-1)).toMatchObject({ turnId: 't1', inputId: 'q1', parentEntryId: 's' })
    expect(decided.events[decided.firstEvent]).toMatchObject({ type: 'input.admitted', turnId: decided.turnId })
    expect(decided.queued).toBe(true)
    const after = foldEvents([...behind, ...decided.events])
    expect(after.queue.map(({ turnId }) => turnId)).toEqual(['t2', decided.turnId])
  })

  it('while a turn waits begins at once where the door has no queue', () => {
    const behind = [...RUNNING, queued(1), ...WAITING.slice(RUNNING.length)]
    const decided = startAfter(behind, { whenRunning: 'refuse' })
    expect(decided.events.at(-1)).toMatchObject({ type: 'turn.started', turnId: decided.turnId })
    expect(decided.queued).toBe(false)
  })

  it('while a turn waits with a full queue is taken: the oldest makes room', () => {
    const full = [...WAITING, ...[1, 2, 3, 4, 5, 6, 7, 8].map(queued)]
    const decided = startAfter(full, { whenRunning: 'queue' })
    expect(foldEvents([...full, ...decided.events]).queue).toHaveLength(8)
  })

  it('with changes records them first', () => {
    const { events, firstEvent } = startAfter(RESTING, { changes: { preset: 'plan' } })
    expect(events.map((event) => event.type)).toEqual(['session.configured', 'input.admitted', 'turn.started'])
    expect(firstEvent).toBe(2)
  })
})

describe('a cancel', () => {
  it('at rest does nothing', () => {
    expect(cancelAfter(RESTING)).toEqual([])
  })

  it('reports a running turn, once', () => {
    expect(cancelAfter(RUNNING)).toEqual([given.cancelRequested('t')])
    expect(cancelAfter([...RUNNING, given.cancelRequested('t')])).toEqual([])
  })

  it('ends a waiting turn at once and settles its calls', () => {
    expect(cancelAfter(WAITING)).toMatchObject([
      { type: 'tool-call.settled', toolCallId: 'a', status: 'cancelled', output: 'Tool call cancelled' },
      { type: 'tool-call.settled', toolCallId: 'b', status: 'cancelled' },
      { type: 'step.ended', outcome: 'completed' },
      { type: 'turn.ended', outcome: 'cancelled' },
    ])
  })

  it('of another turn does nothing', () => {
    expect(cancelAfter(RUNNING, { turnId: asTurnId('earlier') })).toEqual([])
    expect(cancelAfter(RUNNING, { turnId: asTurnId('t') })).toEqual([given.cancelRequested('t')])
  })

  it('keeps the queue and, where the turn was waiting, starts its oldest input', () => {
    const waiting = [...RUNNING, queued(1), ...WAITING.slice(RUNNING.length)]
    expect(cancelAfter(waiting).at(-1)).toMatchObject({ type: 'turn.started', turnId: 't1', inputId: 'q1' })
    expect(cancelAfter([...RUNNING, queued(1)])).toEqual([given.cancelRequested('t')])
  })

  it('drops the queue where that is wanted', () => {
    const events = cancelAfter([...RUNNING, queued(1), queued(2)], { dropQueue: true })
    expect(events).toEqual([
      { type: 'input.dropped', inputId: 'q1', reason: 'user' },
      { type: 'input.dropped', inputId: 'q2', reason: 'user' },
      given.cancelRequested('t'),
    ])
    const waiting = [...RUNNING, queued(1), ...WAITING.slice(RUNNING.length)]
    expect(cancelAfter(waiting, { dropQueue: true }).at(-1)).toEqual(given.turnEnded('t', 'cancelled'))
  })

  it('of a turn whose input is queued drops that input alone', () => {
    expect(cancelAfter([...RUNNING, queued(1), queued(2)], { turnId: asTurnId('t2') })).toEqual([
      { type: 'input.dropped', inputId: 'q2', reason: 'user' },
    ])
  })
})

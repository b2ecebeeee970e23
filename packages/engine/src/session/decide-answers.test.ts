import { describe, expect, it } from 'vitest'
import { createDecideContext, deny, foldEvents, given, grant, result } from '@polylogue/testkit'
import { asSessionId, asUserId, type AnswerCalls, type CallAnswer, type RecordedEvent } from '../index.ts'
import { decideAnswers } from './decide-answers.ts'

const { call } = given
const ASKED = [given.created(), given.admitted('i', 't'), given.turnStarted('t', 'i'), given.stepStarted('t', 's')]
const BOTH = [
  ...ASKED,
  given.answered('t', 's', call('a', 'x'), call('c', 'client')),
  given.approvalRequested('t', 'a'),
]
const WAITING = [...BOTH, given.paused('t')]

function answerAfter(
  events: readonly RecordedEvent[],
  answers: readonly CallAnswer[],
  more: Partial<AnswerCalls> = {},
) {
  const command: AnswerCalls = {
    type: 'answer-calls',
    userId: asUserId('ann'),
    sessionId: asSessionId('s'),
    answers,
    whenRunning: 'refuse',
    ...more,
  }
  return decideAnswers(foldEvents(events), command, { ...createDecideContext(), known: new Set(['a', 'c', 'old']) })
}

const codeOf = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return { code: Reflect.get(Object(error), 'code'), field: Reflect.get(Object(error), 'field') }
  }
  return 'accepted'
}

describe('an answer', () => {
  it('that grants resumes the turn and leaves the call ready to run', () => {
    const { events, firstEvent, turnId } = answerAfter(WAITING, [grant('a')])
    expect(events).toEqual([given.resumed('t'), given.approvalResolved('t', 'a', true)])
    expect({ firstEvent, turnId }).toEqual({ firstEvent: 0, turnId: 't' })
    expect(foldEvents([...WAITING, ...events]).turn).toMatchObject({
      status: 'running',
      step: { calls: [{ phase: 'ready' }, { phase: 'awaiting-client' }] },
    })
  })

  it('that denies settles the call with a sentence for the model', () => {
    expect(answerAfter(WAITING, [deny('a', 'too dear')]).events.slice(1)).toMatchObject([
      { type: 'approval.resolved', granted: false, reason: 'too dear' },
      { type: 'tool-call.settled', status: 'denied', output: 'Tool call denied: too dear', by: 'engine' },
    ])
    expect(answerAfter(WAITING, [deny('a')]).events.at(-1)).toMatchObject({ output: 'Tool call denied' })
  })

  it('with a result settles a client call', () => {
    expect(answerAfter(WAITING, [result('c', 'the page')]).events).toEqual([
      given.resumed('t'),
      {
        type: 'tool-call.settled',
        turnId: 't',
        toolCallId: 'c',
        status: 'completed',
        output: 'the page',
        by: 'client',
      },
    ])
  })

  it('that denies a client call settles it without an unrequested approval', () => {
    expect(answerAfter(WAITING, [deny('c')]).events.map((event) => event.type)).toEqual([
      'turn.resumed',
      'tool-call.settled',
    ])
  })

  it('to the last open call ends the step in the same append', () => {
    const { events } = answerAfter(WAITING, [deny('a'), result('c', 'x')])
    expect(events.at(-1)).toEqual(given.stepEnded('t', 's'))
  })

  it('cannot grant what runs at the client', () => {
    expect(codeOf(() => answerAfter(WAITING, [grant('c')]))).toEqual({
      code: 'call-not-approvable',
      field: 'answers[0]',
    })
  })

  it('counts only with all the others of its request', () => {
    expect(codeOf(() => answerAfter(WAITING, [grant('a'), result('nobody', 'x')]))).toEqual({
      code: 'unknown-tool-call',
      field: 'answers[1].toolCallId',
    })
  })

  it('twice in one request is refused', () => {
    expect(codeOf(() => answerAfter(WAITING, [grant('a'), deny('a')]))).toMatchObject({ code: 'call-already-settled' })
  })

  it('after the first one is refused: the first wins', () => {
    const granted = [...WAITING, given.resumed('t'), given.approvalResolved('t', 'a', true)]
    for (const phase of [
      granted,
      [...granted, given.callStarted('t', 'a')],
      [...granted, given.callStarted('t', 'a'), given.callSettled('t', 'a')],
    ]) {
      expect(codeOf(() => answerAfter(phase, [deny('a')], { whenRunning: 'accept' }))).toMatchObject({
        code: 'call-already-settled',
      })
    }
  })

  it('to a call of an earlier turn is refused as settled, to an unused id as unknown', () => {
    expect(codeOf(() => answerAfter(WAITING, [grant('old')]))).toMatchObject({ code: 'call-already-settled' })
    expect(codeOf(() => answerAfter([given.created()], [grant('a')]))).toMatchObject({ code: 'call-already-settled' })
    expect(codeOf(() => answerAfter([given.created()], [grant('new')]))).toMatchObject({ code: 'unknown-tool-call' })
  })

  it('while other calls of the turn run is taken or refused, as the door wants', () => {
    const running = [
      ...ASKED,
      given.answered('t', 's', call('a', 'x'), call('b', 'x')),
      given.approvalRequested('t', 'a'),
      given.callStarted('t', 'b'),
    ]
    expect(codeOf(() => answerAfter(running, [grant('a')]))).toMatchObject({ code: 'session-busy' })
    expect(answerAfter(running, [grant('a')], { whenRunning: 'accept' }).events).toEqual([
      given.approvalResolved('t', 'a', true),
    ])
  })

  it('with changes resumes the turn, then records them, before what is answered', () => {
    const { events, firstEvent } = answerAfter(WAITING, [grant('a')], { changes: { preset: 'full-access' } })
    expect(events).toEqual([
      given.resumed('t'),
      given.configured({ preset: 'full-access' }),
      given.approvalResolved('t', 'a', true),
    ])
    expect(firstEvent).toBe(0)
  })
})

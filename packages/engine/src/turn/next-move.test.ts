import { describe, expect, it } from 'vitest'
import { foldEvents, given } from '@polylogue/testkit'
import type { RecordedEvent } from '../index.ts'
import { nextMove } from './next-move.ts'

const { call, text } = given
const BEGUN = [given.created(), given.admitted('i', 't'), given.turnStarted('t', 'i')]
const ASKED = [...BEGUN, given.stepStarted('t', 's')]

function moveAfter(events: readonly RecordedEvent[], maxSteps = 10) {
  const { turn } = foldEvents(events)
  if (turn === undefined) throw new Error('there is no turn')
  return nextMove(turn, { maxSteps })
}

describe('the next move of a turn', () => {
  it('is to ask the model at its beginning and after a step', () => {
    expect(moveAfter(BEGUN)).toBe('ask-model')
    expect(moveAfter([...ASKED, given.answered('t', 's', text('x')), given.stepEnded('t', 's')])).toBe('ask-model')
  })

  it('is to settle calls while one of them may run', () => {
    const both = given.answered('t', 's', call('a', 'x'), call('b', 'client'))
    expect(moveAfter([...ASKED, both])).toBe('settle-tool-calls')
    expect(moveAfter([...ASKED, both, given.callStarted('t', 'a')])).toBe('settle-tool-calls')
    expect(moveAfter([...ASKED, both, given.approvalRequested('t', 'a'), given.approvalResolved('t', 'a', true)])).toBe(
      'settle-tool-calls',
    )
  })

  it('is to wait when every open call needs a human', () => {
    const both = given.answered('t', 's', call('a', 'x'), call('b', 'client'))
    expect(moveAfter([...ASKED, both, given.approvalRequested('t', 'a')])).toBe('wait-for-human')
    expect(moveAfter([...ASKED, both, given.callSettled('t', 'a')])).toBe('wait-for-human')
  })

  it('is to stop when it was cancelled, whatever is open', () => {
    expect(moveAfter([...BEGUN, given.cancelRequested('t')])).toBe('stop-cancelled')
    expect(moveAfter([...ASKED, given.answered('t', 's', call('a', 'x')), given.cancelRequested('t')])).toBe(
      'stop-cancelled',
    )
  })

  it('is to stop at the limit of answered steps, but not before the calls of the last one are settled', () => {
    const last = [...ASKED, given.answered('t', 's', call('a', 'x'))]
    expect(moveAfter(last, 1)).toBe('settle-tool-calls')
    expect(moveAfter([...last, given.callSettled('t', 'a'), given.stepEnded('t', 's')], 1)).toBe('stop-at-limit')
  })

  it('does not count a step that was interrupted', () => {
    expect(moveAfter([...ASKED, given.stepEnded('t', 's', { outcome: 'interrupted' })], 1)).toBe('ask-model')
  })
})

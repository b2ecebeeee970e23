import { describe, expect, it } from 'vitest'
import { foldEvents, given } from '@polylogue/testkit'
import type { RecordedEvent } from '../index.ts'
import { endTurn, keptBlocks, nextQueuedTurn, type TurnEnd } from './end-turn.ts'

const { call, text } = given
const BEGUN = [given.created(), given.admitted('i', 't'), given.turnStarted('t', 'i')]
const ASKED = [...BEGUN, given.stepStarted('t', 's')]

function endAfter(events: readonly RecordedEvent[], end: Partial<TurnEnd> = {}) {
  const { turn } = foldEvents(events)
  if (turn === undefined) throw new Error('there is no turn')
  return endTurn(turn, { outcome: 'cancelled', openCalls: 'stopped', ...end })
}

describe('ending a turn', () => {
  it('between two steps records its end', () => {
    expect(endAfter(BEGUN)).toEqual([given.turnEnded('t', 'cancelled')])
  })

  it('settles every open call, whatever it waits for, then ends the step and the turn', () => {
    const answered = given.answered('t', 's', call('a', 'x'), call('b', 'client'), call('c', 'x'), call('d', 'x'))
    const events = endAfter([
      ...ASKED,
      answered,
      given.approvalRequested('t', 'a'),
      given.callStarted('t', 'c'),
      given.callSettled('t', 'd'),
    ])
    expect(events).toEqual([
      ...['a', 'b', 'c'].map((id) => ({
        ...given.callSettled('t', id, { status: 'cancelled', output: 'stopped' }),
        by: 'engine',
      })),
      given.stepEnded('t', 's', { outcome: 'completed' }),
      given.turnEnded('t', 'cancelled'),
    ])
  })

  it.each([
    ['cancelled', 'cancelled'],
    ['interrupted', 'interrupted'],
    ['failed', 'failed'],
    ['step-limit', 'failed'],
  ] as const)('as %s ends an unanswered step as %s and keeps its text', (outcome, stepOutcome) => {
    const partial = [{ type: 'thinking', text: 'hm' } as const, text(''), call('x', 'y'), text('so far')]
    expect(endAfter(ASKED, { outcome, partialOf: () => partial })).toEqual([
      given.stepEnded('t', 's', { outcome: stepOutcome, partial: [{ type: 'thinking', text: 'hm' }, text('so far')] }),
      given.turnEnded('t', outcome),
    ])
  })

  it('says the reason of a failure with the step and with the turn', () => {
    const error = { code: 'model-down', message: 'The model is away.' }
    expect(endAfter(ASKED, { outcome: 'failed', error })).toMatchObject([
      { type: 'step.ended', error },
      { type: 'turn.ended', error },
    ])
  })
})

describe('after the end of a turn', () => {
  it('nothing starts without a queued input', () => {
    expect(nextQueuedTurn(foldEvents(ASKED), { recovery: 'continue' })).toEqual([])
  })

  it('the oldest queued input starts, as a child of the newest entry', () => {
    const state = foldEvents([...ASKED, given.admitted('i2', 't2'), given.admitted('i3', 't3')])
    expect(nextQueuedTurn(state, { recovery: 'interrupt' })).toEqual([
      { type: 'turn.started', turnId: 't2', inputId: 'i2', parentEntryId: 's', recovery: 'interrupt' },
    ])
  })
})

describe('the kept part of an unfinished step', () => {
  it('is its text and thinking, not its calls and not what is empty', () => {
    expect(keptBlocks([text('a'), call('x', 'y'), text(''), { type: 'thinking', text: 'b' }])).toEqual([
      text('a'),
      { type: 'thinking', text: 'b' },
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { asRecorded, foldEvents, given } from '@polylogue/testkit'
import type { RecordedEvent } from '@polylogue/engine'
import { checkHistory } from './check-history.ts'
import type { SessionHistory } from './history.ts'

const { call, text } = given

/** A turn with an unsafe call that was asked for and granted, then a second turn. */
const LOG: readonly RecordedEvent[] = [
  given.created(),
  given.admitted('i1', 't1', 'first'),
  given.turnStarted('t1', 'i1'),
  given.stepStarted('t1', 's1'),
  given.answered('t1', 's1', call('pay1', 'pay'), call('look1', 'look')),
  given.approvalRequested('t1', 'pay1'),
  given.callStarted('t1', 'look1'),
  given.callSettled('t1', 'look1'),
  given.paused('t1'),
  given.resumed('t1'),
  given.approvalResolved('t1', 'pay1', true),
  given.callStarted('t1', 'pay1'),
  given.callSettled('t1', 'pay1'),
  given.stepEnded('t1', 's1'),
  given.stepStarted('t1', 's2'),
  given.answered('t1', 's2', text('done')),
  given.stepEnded('t1', 's2'),
  given.turnEnded('t1'),
  given.admitted('i2', 't2', 'second'),
  given.turnStarted('t2', 'i2'),
  given.cancelRequested('t2'),
  given.turnEnded('t2', 'cancelled'),
]
const SNAPSHOT_SEQ = 18

function historyOf(events: readonly RecordedEvent[], more: Partial<SessionHistory> = {}): SessionHistory {
  return {
    stored: asRecorded(events),
    snapshot: { seq: SNAPSHOT_SEQ, state: JSON.stringify(foldEvents(LOG.slice(0, SNAPSHOT_SEQ))) },
    acknowledged: [
      { type: 'input', text: 'first', seq: 3 },
      { type: 'answer', toolCallId: 'pay1' },
      { type: 'input', text: 'second' },
      { type: 'cancel', turnId: 't2' },
    ],
    readers: [
      { after: 0, isGapless: true, seen: asRecorded(events) },
      { after: 3, isGapless: false, seen: [{ seq: 5 }, { seq: 18, types: ['turn.paused', 'turn.ended'] }] },
      sawText([0, 'do'], [2, 'ne']),
      sawWhole('done'),
    ],
    epochs: [1, 2, 5],
    effects: ['look1', 'look1', 'pay1'],
    toolEffects: { pay: 'unsafe', look: 'readonly' },
    ...more,
  }
}

const broken = (history: SessionHistory) => [...new Set(checkHistory(history).map(({ invariant }) => invariant))]
const without = (seq: number) => LOG.filter((_, index) => index !== seq - 1)
const inserted = (after: number, ...events: RecordedEvent[]) => [...LOG.slice(0, after), ...events, ...LOG.slice(after)]
/** Only what the log itself shows. */
const logOnly = (events: readonly RecordedEvent[], more: Partial<SessionHistory> = {}): SessionHistory => {
  const { snapshot: _snapshot, ...history } = historyOf(events, {
    acknowledged: [],
    readers: [],
    effects: [],
    toolEffects: {},
    ...more,
  })
  return history
}

/** Of the step that starts at 15 and says `done`. */
const sawText = (...pieces: [number, string][]): SessionHistory['readers'][number] => ({
  after: 0,
  isGapless: false,
  seen: [],
  deltas: pieces.map(([offset, piece]) => ({ stepSeq: 15, block: 0, offset, text: piece })),
})

/** With the answer of that step. */
const sawWhole = (text: string): SessionHistory['readers'][number] => ({
  after: 0,
  isGapless: false,
  seen: [],
  wholes: [{ seq: 16, text }],
})

describe('the checker', () => {
  it('finds nothing wrong with a good history', () => {
    expect(checkHistory(historyOf(LOG))).toEqual([])
  })

  it('finds nothing wrong with a turn that still waits', () => {
    expect(checkHistory(logOnly(LOG.slice(0, 9)))).toEqual([])
  })

  it.each<[string, SessionHistory]>([
    ['an acknowledged input that is not stored', historyOf(LOG, { acknowledged: [{ type: 'input', text: 'lost' }] })],
    [
      'an acknowledged input that is stored twice',
      logOnly(inserted(18, given.admitted('i1b', 't1b', 'first')), {
        acknowledged: [{ type: 'input', text: 'first' }],
      }),
    ],
    [
      'an acknowledged input that is stored later than it was said to be',
      historyOf(LOG, { acknowledged: [{ type: 'input', text: 'second', seq: 5 }] }),
    ],
    [
      'an acknowledged answer that is not stored',
      historyOf(LOG, { acknowledged: [{ type: 'answer', toolCallId: 'look1' }] }),
    ],
    ['an acknowledged cancel that is not stored', historyOf(LOG, { acknowledged: [{ type: 'cancel', turnId: 't1' }] })],
  ])('finds %s (I1)', (_what, history) => {
    expect(broken(history)).toEqual(['I1'])
  })

  it.each<[string, SessionHistory['readers'][number]]>([
    ['a client ahead of the store', { after: 0, isGapless: false, seen: [{ seq: LOG.length + 1 }] }],
    ['a client that saw another event', { after: 0, isGapless: false, seen: [{ seq: 2, event: given.paused('t1') }] }],
    [
      'a client that was shown what another event became',
      { after: 0, isGapless: false, seen: [{ seq: 18, types: ['turn.paused', 'tool-call.settled'] }] },
    ],
    ['a client that saw an event twice', { after: 0, isGapless: false, seen: [{ seq: 2 }, { seq: 2 }] }],
    ['a client that saw events out of order', { after: 0, isGapless: false, seen: [{ seq: 4 }, { seq: 3 }] }],
    ['a client that saw what it already had', { after: 4, isGapless: false, seen: [{ seq: 4 }] }],
    ['a client with a gap', { after: 0, isGapless: true, seen: [{ seq: 1 }, { seq: 3 }] }],
    ['a client that saw text twice', sawText([0, 'do'], [0, 'do'])],
    ['a client that missed text', sawText([0, 'd'], [2, 'n'])],
    ['a client that saw text that was not recorded', sawText([0, 'dawn'])],
    ['a client that saw a whole text that was not recorded', sawWhole('dawn')],
  ])('finds %s (I2)', (_what, reader) => {
    expect(broken(historyOf(LOG, { readers: [reader] }))).toEqual(['I2'])
  })

  it('finds a missing seq (I3)', () => {
    const stored = asRecorded(LOG).map((recorded) =>
      recorded.seq < 19 ? recorded : { ...recorded, seq: recorded.seq + 1 },
    )
    expect(broken({ ...logOnly(LOG), stored })).toEqual(['I3'])
  })

  it.each<[string, SessionHistory]>([
    ['two open turns', logOnly(inserted(9, given.admitted('x', 'tx'), given.turnStarted('tx', 'x')).slice(0, 11))],
    ['an epoch that comes again', historyOf(LOG, { epochs: [1, 2, 2] })],
    ['an epoch that goes back', historyOf(LOG, { epochs: [3, 1] })],
  ])('finds %s (I4)', (_what, history) => {
    expect(broken(history)).toEqual(['I4'])
  })

  it('finds a call without an end in an ended turn (I5)', () => {
    const open = [...LOG.slice(0, 9), given.stepEnded('t1', 's1'), given.turnEnded('t1')]
    expect(broken(logOnly(open))).toContain('I5')
  })

  it('finds a call with two ends (I5)', () => {
    expect(broken(logOnly(inserted(13, given.callSettled('t1', 'pay1', { status: 'unknown' }))))).toContain('I5')
  })

  it.each<[string, Partial<SessionHistory>]>([
    ['an unsafe call that took effect twice', { effects: ['look1', 'pay1', 'pay1'] }],
    ['a completed call without its effect', { effects: ['look1'] }],
    ['an effect of a call that is not in the log', { effects: ['look1', 'pay1', 'ghost'] }],
  ])('finds %s (I6)', (_what, more) => {
    expect(broken(historyOf(LOG, more))).toEqual(['I6'])
  })

  it('finds an effect that was not recorded before it happened (I6)', () => {
    const events = LOG.slice(0, 11)
    expect(
      broken(logOnly(events, { effects: ['look1', 'pay1'], toolEffects: { pay: 'unsafe', look: 'readonly' } })),
    ).toEqual(['I6'])
  })

  it('finds an effect without the grant it needed (I6)', () => {
    const events = without(11)
    expect(
      broken(logOnly(events, { effects: ['look1', 'pay1'], toolEffects: { pay: 'unsafe', look: 'readonly' } })),
    ).toEqual(['I6'])
  })

  it.each<[string, SessionHistory]>([
    [
      'a snapshot that is not the fold of the log',
      historyOf(LOG, { snapshot: { seq: 18, state: JSON.stringify(foldEvents(LOG.slice(0, 17))) } }),
    ],
    ['a snapshot from beyond the log', historyOf(LOG, { snapshot: { seq: 99, state: '{}' } })],
    ['a log that does not fold', logOnly([...LOG, given.created()])],
  ])('finds %s (I7)', (_what, history) => {
    expect(broken(history)).toEqual(['I7'])
  })

  it('finds a call without a result before the model is asked again (I8)', () => {
    expect(broken(logOnly(without(8).slice(0, 16)))).toContain('I8')
  })

  it.each<[string, NonNullable<SessionHistory['modelMessages']>]>([
    [
      'a call without a result',
      [
        { role: 'assistant', content: [call('a', 'x')] },
        { role: 'user', content: 'y' },
      ],
    ],
    ['a call without a result at the end', [{ role: 'assistant', content: [call('a', 'x')] }]],
    ['a result without a call', [{ role: 'tool', toolCallId: call('a', 'x').toolCallId, content: '' }]],
    [
      'a call id that is used twice',
      [
        { role: 'assistant', content: [call('a', 'x')] },
        { role: 'tool', toolCallId: call('a', 'x').toolCallId, content: '' },
        { role: 'assistant', content: [call('a', 'x')] },
        { role: 'tool', toolCallId: call('a', 'x').toolCallId, content: '' },
      ],
    ],
  ])('finds %s in what the model is given (I8)', (_what, modelMessages) => {
    expect(broken(historyOf(LOG, { modelMessages }))).toEqual(['I8'])
  })

  it.each<[string, readonly RecordedEvent[]]>([
    ['an event of a turn that has ended', inserted(18, given.takenOver('t1', 1))],
    ['an end of a step that has ended', inserted(17, given.stepEnded('t1', 's2'))],
    ['a step that starts inside another', inserted(15, given.stepStarted('t1', 's3'))],
    ['a turn that ends with a step open', without(17)],
  ])('finds %s (I9)', (_what, events) => {
    expect(broken(logOnly(events))).toContain('I9')
  })
})

import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { newTurn } from '../projection/new-turn.ts'
import type { TurnProjection } from '../wire.ts'
import { SessionFold } from './session-fold.ts'
import { PAGE_SIZE, TurnPages } from './turn-pages.ts'

const turn = (sequence: number, more: Partial<TurnProjection> = {}): TurnProjection => ({
  ...newTurn({ id: `e${sequence}`, turn_id: `t${sequence}` }, { role: 'assistant', at: 0, status: 'completed' }),
  sequence,
  ...more,
})
const turns = (from: number, to: number): TurnProjection[] =>
  Array.from({ length: to - from }, (_, at) => turn(from + at))
const sequences = (list: readonly TurnProjection[]): number[] => list.map(({ sequence }) => sequence)

describe('pages of turns', () => {
  it('hold the same turns in the same order as one sorted list, whatever comes in which order', () => {
    const steps = fc.array(fc.record({ id: fc.nat(20), sequence: fc.nat(300) }), { maxLength: 60 })
    fc.assert(
      fc.property(steps, (changes) => {
        const [pages, plain] = [new TurnPages(), new Map<string, TurnProjection>()]
        for (const { id, sequence } of changes) {
          const changed = turn(sequence, { turn_id: `t${id}` })
          pages.set(changed)
          plain.set(changed.turn_id, changed)
        }
        expect(sequences(pages.turns)).toEqual(sequences([...plain.values()]).toSorted((a, b) => a - b))
        for (const [id, known] of plain) expect(pages.get(id)).toBe(known)
      }),
    )
  })

  it('stay the same objects when a turn of another page changes', () => {
    const pages = new TurnPages()
    for (const each of turns(0, 3 * PAGE_SIZE)) pages.set(each)
    const before = pages.list
    expect(pages.list).toBe(before)
    pages.set(turn(PAGE_SIZE, { status: 'failed' }))
    expect(pages.list.map((page, at) => page === before[at])).toEqual([true, false, true])
  })

  it('replace one page of 200 when a turn among 10,000 changes, and sort nothing', () => {
    const pages = new TurnPages()
    for (const each of turns(0, 10_000)) pages.set(each)
    const before = pages.list
    const [sort, toSorted] = [vi.spyOn(Array.prototype, 'sort'), vi.spyOn(Array.prototype, 'toSorted')]
    pages.set(turn(5_000, { status: 'failed' }))
    const after = pages.list
    const calls = [sort, toSorted].map(({ mock }) => mock.calls.length)
    vi.restoreAllMocks()
    expect(calls).toEqual([0, 0])
    expect([after.length, after.filter((page, at) => page !== before[at]).length]).toEqual([200, 1])
  })

  it('beyond their limit are dropped, the ones used least recently first and the last one never', () => {
    const pages = new TurnPages(2)
    for (const each of turns(0, 3 * PAGE_SIZE)) pages.set(each)
    expect(pages.list.map(({ index }) => index)).toEqual([1, 2])
    for (const at of [0, 1, 0]) pages.set(turn(at * PAGE_SIZE))
    expect(pages.list.map(({ index }) => index)).toEqual([0, 2])
    expect(pages.get(`t${PAGE_SIZE}`)).toBeUndefined()
  })
})

describe('a fold by pages', () => {
  it('keeps earlier pages when the newest turns are fetched and nothing is missing in between', () => {
    const fold = new SessionFold('s')
    fold.load(turns(0, 120))
    fold.loadTail(turns(100, 130))
    expect(sequences(fold.turns)).toEqual(sequences(turns(0, 130)))
  })

  it('drops earlier pages when turns are missing in between', () => {
    const fold = new SessionFold('s')
    fold.load(turns(0, 60))
    fold.loadTail(turns(100, 130))
    expect(sequences(fold.turns)).toEqual(sequences(turns(100, 130)))
  })

  it.each([
    ['a turn that was open', { status: 'paused' }],
    [
      'a call that was open',
      {
        tool_calls: [
          {
            id: 'c',
            tool_name: 't',
            display_name: 'T',
            arguments: '{}',
            status: 'pending',
            result: null,
            duration_ms: null,
            pending_question_ref: null,
          },
        ],
      },
    ],
  ] satisfies [string, Partial<TurnProjection>][])('drops an earlier page with %s', (_, more) => {
    const fold = new SessionFold('s')
    fold.load([...turns(0, 10), turn(10, more), ...turns(11, 120)])
    fold.loadTail(turns(100, 130))
    expect(sequences(fold.turns)).toEqual(sequences(turns(PAGE_SIZE, 130)))
  })

  it('takes earlier turns, and keeps those that it knows', () => {
    const fold = new SessionFold('s')
    const known = turn(60, { status: 'failed' })
    fold.load([known])
    fold.loadEarlier(turns(20, 61))
    expect(sequences(fold.turns)).toEqual(sequences(turns(20, 61)))
    expect(fold.turn('t60')).toBe(known)
  })
})

import { toTurn, type BladeOutput } from '@polylogue/client/blade'
import { describe, expect, it } from 'vitest'
import { RowPages, gapOf, type RowPage } from './row-pages.ts'

type Told = Extract<BladeOutput, { event: 'turn:start' }>

/** A turn as it is told, at its place in the session. */
function told(name: string, sequence: number, status: 'streaming' | 'completed' = 'streaming'): Told {
  const payload = { turn_id: name, id: name, sequence, status, loop_id: 'root', blocks: [], tool_calls: [] }
  // Only what the rows look at.
  return { event: 'turn:start', payload } as unknown as Told
}

function pageOf(first: number, names: readonly string[], total = first + names.length): RowPage {
  const rows = names.map((name, index) => ({
    row: first + index,
    turn: toTurn(told(name, first + index, 'completed').payload),
  }))
  return { rows, total, seq: 0, last: 0 }
}

function start() {
  const pages = new RowPages('s', { changed: () => undefined })
  const tell = (event: Told): void => {
    if (pages.fold.apply(event).type !== 'added') return
    const turn = pages.fold.turn(event.payload.turn_id)
    if (turn !== undefined) pages.add(turn)
  }
  return { pages, tell }
}

describe('a turn that is told while the newest rows are read', () => {
  it('has one row, after those of the page', () => {
    const { pages, tell } = start()
    pages.fold.beginLoad()
    pages.takeTail(pageOf(0, ['a', 'b']))
    pages.fold.beginLoad()
    tell(told('c', 2))
    pages.takeTail(pageOf(0, ['a', 'b']))
    expect(pages.rows).toEqual(['a', 'b', 'c'])
    pages.takeEarlier(pageOf(0, ['a', 'b', 'c']))
    expect(pages.rows).toEqual(['a', 'b', 'c'])
  })

  it('has one row if the page has it already', () => {
    const { pages, tell } = start()
    pages.fold.beginLoad()
    tell(told('b', 1))
    pages.takeTail(pageOf(0, ['a', 'b']))
    expect(pages.rows).toEqual(['a', 'b'])
  })

  it('is at the end of a long session, also when it is over by then', () => {
    const { pages, tell } = start()
    pages.fold.beginLoad()
    tell(told('new', 60, 'completed'))
    const names = Array.from({ length: 50 }, (_, index) => `t${index + 10}`)
    pages.takeTail(pageOf(10, names))
    const gaps = Array.from({ length: 10 }, (_, row) => gapOf(row))
    expect(pages.rows).toEqual([...gaps, ...names, 'new'])
  })
})

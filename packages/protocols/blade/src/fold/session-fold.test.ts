import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { newTurn } from '../projection/new-turn.ts'
import type { BladeOutput, Patch, TurnProjection } from '../wire.ts'
import { SessionFold } from './session-fold.ts'

const TURN: TurnProjection = {
  ...newTurn({ id: 'entry_1', turn_id: 'turn_1' }, { role: 'assistant', at: 0, status: 'streaming' }),
  sequence: 0,
}
const start = (turn: TurnProjection = TURN, session_id = 's'): BladeOutput => ({
  event: 'turn:start',
  payload: { session_id, ...turn, solution_id: 'a', template_id: null },
})
const patch = (sequence: number, its: Patch, turn_id = 'turn_1'): BladeOutput => ({
  event: 'turn:patch',
  payload: { session_id: 's', sequence, turn_id, loop_id: 'root', ...its },
})
const text = (text_delta: string, content?: string): Patch => ({
  patch_type: 'add_content',
  data: { type: 'text', text_delta, ...(content !== undefined && { content }) },
})
const call = (args: string): Patch => ({
  patch_type: 'add_tool_call',
  data: { id: 'c', tool_name: 't', display_name: 'T', arguments: args, status: 'pending' },
})

function fold(...outputs: readonly BladeOutput[]): SessionFold {
  const folded = new SessionFold('s')
  for (const output of outputs) folded.apply(output)
  return folded
}

const contents = (folded: SessionFold) => folded.turn('turn_1')?.blocks.map(({ content }) => content)

describe('folding', () => {
  it('takes starts and ends unchanged', () => {
    const done = { ...TURN, status: 'completed', usage: { input_tokens: 1, output_tokens: 2 } } as const
    expect(
      fold(start(), { event: 'turn:end', payload: { session_id: 's', ...done, solution_id: 'a', template_id: null } })
        .turns,
    ).toEqual([done])
  })

  it('passes over other sessions', () => {
    expect(fold(start(TURN, 'other')).turns).toEqual([])
  })

  it('puts deltas of one kind together, and repairs what was lost', () => {
    const thought = { patch_type: 'add_content', data: { type: 'thinking', text_delta: 'hm' } } as const
    expect(contents(fold(start(), patch(1, text('a')), patch(2, text('b'))))).toEqual(['ab'])
    expect(contents(fold(start(), patch(1, text('a')), patch(2, text('c', 'abc'))))).toEqual(['abc'])
    expect(contents(fold(start(), patch(1, text('a')), patch(2, thought), patch(3, text('b'))))).toEqual([
      'a',
      'hm',
      'b',
    ])
  })

  it('begins a new block with content that is no delta', () => {
    const whole = { patch_type: 'add_content', data: { type: 'text', content: 'b' } } as const
    expect(contents(fold(start(), patch(1, text('a')), patch(2, whole)))).toEqual(['a', 'b'])
  })

  it('drops duplicates, and is dirty when something is missing', () => {
    const twice = fold(start(), patch(1, text('a')), patch(1, text('a')))
    expect([contents(twice), twice.isDirty]).toEqual([['a'], false])
    expect(fold(start(), patch(4, text('a'))).isDirty).toBe(false)
    expect(fold(start(), patch(4, text('a')), patch(6, text('c'))).isDirty).toBe(true)
  })

  it('invents no turn and no call', () => {
    const unknown = fold(patch(1, text('a')))
    expect([unknown.turns, unknown.isDirty]).toEqual([[], true])
    const result = { tool_call_id: 'c', result: 1, status: 'done', duration_ms: 1 } as const
    expect(fold(start(), patch(1, { patch_type: 'tool_result', data: result })).isDirty).toBe(true)
    const status = { tool_call_id: 'c', status: 'done' } as const
    expect(fold(start(), patch(1, { patch_type: 'set_tool_status', data: status })).isDirty).toBe(true)
  })

  it.each([
    ['{"a":1}', { a: 1 }],
    ['[1]', { raw: '[1]' }],
    ['no JSON', { raw: 'no JSON' }],
  ])('shows the arguments %s of a call as they parse', (args, content) => {
    const folded = fold(start(), patch(1, call(args)), patch(2, call(args)))
    expect(folded.turn('turn_1')?.blocks).toMatchObject([{ type: 'tool_use', content, tool_call_id: 'c' }])
    expect(folded.turn('turn_1')?.tool_calls).toHaveLength(1)
  })

  it('keeps one result for each call', () => {
    const result = (value: string): Patch => ({
      patch_type: 'tool_result',
      data: { tool_call_id: 'c', result: value, status: 'done', duration_ms: 3 },
    })
    const folded = fold(start(), patch(1, call('{}')), patch(2, result('one')), patch(3, result('two')))
    expect(contents(folded)).toEqual([{}, 'two'])
    expect(folded.turn('turn_1')?.tool_calls).toMatchObject([{ status: 'done', result: 'two', duration_ms: 3 }])
  })

  it('changes the reference of a waiting call only where it is said', () => {
    const ref = { child_loop_name: 'l', child_tool_call_id: 'q', description: null }
    const waits = { tool_call_id: 'c', status: 'awaiting_answer', pending_question_ref: ref } as const
    const again = { tool_call_id: 'c', status: 'awaiting_answer' } as const
    const goesOn = { tool_call_id: 'c', status: 'pending', pending_question_ref: null } as const
    const all = [waits, again, goesOn].map((data, at) => patch(at + 2, { patch_type: 'set_tool_status', data }))
    const refs = all.map((_, at) => {
      const folded = fold(start(), patch(1, call('{}')), ...all.slice(0, at + 1))
      return folded.turn('turn_1')?.tool_calls[0]?.pending_question_ref
    })
    expect(refs).toEqual([ref, ref, null])
  })

  it('takes a whole turn in place of its patch, and passes over patches of the future', () => {
    const later = { ...TURN, status: 'completed' } as const
    const whole: Patch = { patch_type: 'set_status', data: { status: 'failed', turn: later } as never }
    expect(fold(start(), patch(1, whole)).turns).toEqual([later])
    const future = { patch_type: 'set_colour', data: {} } as unknown as Patch
    const folded = fold(start(), patch(1, future))
    expect([folded.turns, folded.isDirty]).toEqual([[TURN], false])
  })

  it('is clean again when the turns were loaded', () => {
    const folded = fold(patch(1, text('a')))
    folded.load([TURN])
    expect([folded.turns, folded.isDirty]).toEqual([[TURN], false])
  })

  it('stays dirty when something was missed while the turns were fetched', () => {
    const folded = fold(patch(1, text('a')))
    const missedBefore = folded.missed
    folded.apply(patch(2, text('b')))
    folded.load([TURN], missedBefore)
    expect([folded.turns, folded.isDirty]).toEqual([[TURN], true])
    folded.load([TURN], folded.missed)
    expect(folded.isDirty).toBe(false)
  })

  it('keeps events that arrived while the turns were fetched', () => {
    const folded = fold(start())
    folded.distrust()
    const missedBefore = folded.missed
    folded.apply(start())
    folded.apply(patch(7, text('b')))
    const done = { ...TURN, turn_id: 'turn_2', id: 'entry_2', sequence: 1, status: 'completed' } as const
    folded.apply({
      event: 'turn:end',
      payload: { session_id: 's', ...done, solution_id: 'a', template_id: null },
    })
    folded.load([TURN, { ...done, status: 'streaming' }], missedBefore)
    expect([contents(folded), folded.turn('turn_2'), folded.isDirty]).toEqual([['b'], done, false])
  })

  it('prefers fetched turns to those from before its connection was lost', () => {
    const folded = fold(start())
    folded.distrust()
    const done = { ...TURN, status: 'completed' } as const
    folded.load([done], folded.missed)
    expect([folded.turns, folded.isDirty]).toEqual([[done], false])
  })

  it('stays dirty when it lost its connection while the turns were fetched', () => {
    const folded = fold(start())
    const missedBefore = folded.missed
    folded.distrust()
    folded.load([TURN], missedBefore)
    expect(folded.isDirty).toBe(true)
  })
})

it.each(['.', '../client'])('what a browser uses imports nothing of Node, the engine or zod: %s', (folder) => {
  const directory = new URL(`${folder}/`, import.meta.url)
  const files = readdirSync(directory).filter((name) => !name.endsWith('.test.ts'))
  const sources = [...files.map((name) => new URL(name, directory)), new URL('../wire.ts', import.meta.url)]
  const imports = sources.flatMap((source) => readFileSync(source, 'utf8').match(/^import [^;]*? from '[^']+'/gm) ?? [])
  expect(imports.length).toBeGreaterThan(2)
  const isErased = (line: string): boolean => line.startsWith('import type ')
  expect(
    imports.filter(
      (line) => !isErased(line) && !/from '(?:\.\.?\/(?:fold\/)?[a-z-]+\.ts|@polylogue\/kit\/client)'/.test(line),
    ),
  ).toEqual([])
})

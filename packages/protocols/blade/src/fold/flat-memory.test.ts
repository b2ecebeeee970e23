import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { newTurn } from '../projection/new-turn.ts'
import type { BladeOutput, Patch } from '../wire.ts'
import { SessionFold } from './session-fold.ts'

/** The bytes that are still in use after a collection. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}

it('a fold with a limit uses no more memory after 10,000 turns than after 1,000', () => {
  const fold = new SessionFold('s', { maxPages: 8 })
  let sequence = 0
  const patch = (turn_id: string, its: Patch): BladeOutput => ({
    event: 'turn:patch',
    payload: { session_id: 's', sequence: ++sequence, turn_id, loop_id: 'root', ...its },
  })
  const play = (at: number): void => {
    const turn = newTurn({ id: `e${at}`, turn_id: `t${at}` }, { role: 'assistant', at: 0, status: 'streaming' })
    const told = { session_id: 's', ...turn, sequence: at, solution_id: 'a', template_id: null } as const
    fold.apply({ event: 'turn:start', payload: told })
    for (const word of ['one ', 'two ', 'three ']) {
      const text_delta = word.repeat(100)
      fold.apply(patch(turn.turn_id, { patch_type: 'add_content', data: { type: 'text', text_delta } }))
    }
    fold.apply({ event: 'turn:end', payload: { ...told, ...fold.turn(turn.turn_id), status: 'completed' } })
  }
  for (let at = 0; at < 1_000; at += 1) play(at)
  const after1000 = usedBytes()
  for (let at = 1_000; at < 10_000; at += 1) play(at)
  expect(usedBytes() - after1000).toBeLessThan(2 * 1024 * 1024)
  expect([fold.turns.length, fold.last?.turn_id, fold.isDirty]).toEqual([8 * 50, 't9999', false])
})

import { createConsoleClient } from '@polylogue/client/console'
import { expect, it } from 'vitest'
import { CallStarts } from './call-starts.ts'

const PLACE = { session_id: 's', sequence: 1, turn_id: 't', loop_id: 'root' }
const status = (status: 'pending' | 'awaiting_answer', ref?: null) => ({
  ...PLACE,
  patch_type: 'set_tool_status' as const,
  data: { tool_call_id: 'a', status, ...(ref === null && { pending_question_ref: ref }) },
})
const added = (status: 'pending' | 'awaiting_answer') => ({
  ...PLACE,
  patch_type: 'add_tool_call' as const,
  data: { id: 'a', tool_name: 'Bash', display_name: 'Bash', arguments: '{}', status },
})

function startsAt(times: readonly number[], mayRead = true) {
  const left = [...times]
  const asked: string[] = []
  const answer = ({ path }: { readonly path: string }) => {
    asked.push(path)
    const body = { toolCallId: 'a', turnId: 't', name: 'Bash', input: {}, diffs: [], startedAt: 5 }
    return Promise.resolve(Response.json(body))
  }
  const starts = new CallStarts('s', {
    api: () => Promise.resolve(createConsoleClient(answer)),
    mayRead: () => mayRead,
    now: () => left.shift() ?? 0,
  })
  return { starts, asked }
}

it('a call begins when it is seen to run, after its approval, and once', () => {
  const { starts } = startsAt([100, 200])
  starts.saw(added('awaiting_answer'))
  expect(starts.of('a')).toBeUndefined()
  starts.saw(status('pending'))
  starts.saw(status('pending'))
  expect(starts.of('a')).toBe(100)
  starts.saw(status('awaiting_answer'))
  expect(starts.of('a')).toBeUndefined()
})

it('a call whose sub-agent waits and continues began before', () => {
  const { starts } = startsAt([100, 200])
  starts.saw(added('pending'))
  starts.saw(status('awaiting_answer', null))
  starts.saw(status('pending', null))
  expect(starts.of('a')).toBe(100)
})

it('asks the server for the start of a call that ran before, and keeps it', async () => {
  const { starts, asked } = startsAt([])
  expect(await starts.read('a')).toBe(5)
  expect(starts.of('a')).toBe(5)
  expect(asked).toEqual(['/api/polylogue/sessions/s/calls/a'])
})

it('a guest asks nothing', async () => {
  const { starts, asked } = startsAt([], false)
  expect(await starts.read('a')).toBeUndefined()
  expect(asked).toEqual([])
})

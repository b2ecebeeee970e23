import { expect, it } from 'vitest'
import { toTransferRow } from './transfer-rows.ts'

const named = (sessionId: unknown) => () => toTransferRow('deleted_sessions', { session_id: sessionId as string })

it.each(['../../etc', '..', '.', '', '/etc', 'a/b', 'a\\b', 'a\0b', 'a\nb', 7])(
  'a database with a session of the id %j is not copied',
  (id) => {
    expect(named(id)).toThrow('deleted_sessions has a session whose id is not one')
  },
)

it('ids of sessions are copied as they are', () => {
  for (const id of ['0198c0de-7a11-7000-8000-000000000000', 'session-1', 'a.b_c'])
    expect(named(id)()).toEqual({ table: 'deleted_sessions', values: { session_id: id } })
})

it('a value that would fill the memory is not copied', () => {
  const bytes = new Uint8Array(256 * 1024 * 1024 + 1)
  expect(() => toTransferRow('secrets', { session_id: 's', user_id: 'u', name: 'n', sealed: bytes })).toThrow(
    'The column sealed of secrets has a value of more than 268435456 bytes.',
  )
})

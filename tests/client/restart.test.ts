// A server that is killed in the middle of an answer and started again, as the clients see it.
import { expect, it } from 'vitest'
import { converseThroughRestart } from './converse-through-restart.ts'

it('clients of both protocols end with what the server has, nothing doubled and nothing missing', async () => {
  const { events, stopReason, aap, blade } = await converseThroughRestart(5)
  expect(stopReason).toBe('end_turn')
  expect(events.filter((event) => event === 'turn_stop')).toHaveLength(1)
  expect(events.filter((event) => event === 'tool_result')).toHaveLength(1)
  expect(aap.local).toEqual(aap.server)
  expect(blade.local).toEqual(blade.server)
})

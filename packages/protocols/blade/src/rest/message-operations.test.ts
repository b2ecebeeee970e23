import { afterEach, beforeEach, expect, it } from 'vitest'
import { openRest, type Rest } from './test-support/open-rest.ts'

let rest: Rest
beforeEach(async () => {
  rest = await openRest()
})
afterEach(() => rest.close())

it('what was said in a shared session is shown to guests without the memories of its owner', async () => {
  const content = 'tea is poison to me'
  await rest.send('POST', '/api/memories', { body: { content } })
  const id: string = (await rest.send('POST', '/api/sessions', { body: {} })).body.session_id
  await rest.send('PATCH', `/api/sessions/${id}/sharing`, { body: { shared: true } })
  const { turnId } = await rest.say(id, 'tea?')
  await rest.untilRecorded(id, ({ event }) => event.type === 'turn.ended' && event.turnId === turnId)
  const own = await rest.send('GET', `/api/sessions/${id}/messages`)
  const asGuest = await rest.send('GET', `/api/sessions/${id}/messages`, { key: 'ben' })
  expect(own.body[1]).toMatchObject({ role: 'assistant', memory_refs: [{ content_preview: content }] })
  expect(asGuest.text).not.toContain('poison')
  expect(asGuest.body).toEqual(own.body.map((turn: object) => ({ ...turn, memory_refs: null })))
})

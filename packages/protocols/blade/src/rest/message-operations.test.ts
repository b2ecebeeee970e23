import { asSessionId } from '@polylogue/engine'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readTurns } from '../projection/read-turns.ts'
import { TurnReader } from '../projection/turn-reader.ts'
import { ANN, openRest, type Rest } from './test-support/open-rest.ts'

let rest: Rest
beforeEach(async () => {
  rest = await openRest()
})
afterEach(() => rest.close())

it('blade 43, 158: an unknown context window is null', async () => {
  const id: string = (await rest.send('POST', '/api/sessions', { body: {} })).body.session_id
  const { turnId } = await rest.say(id, 'hi')
  await rest.untilRecorded(id, ({ event }) => event.type === 'turn.ended' && event.turnId === turnId)
  const windows = async (): Promise<readonly unknown[]> => {
    const { body } = await rest.send('GET', `/api/sessions/${id}/messages`)
    return body.map((turn: { context_window: unknown }) => turn.context_window)
  }
  expect(await windows()).toEqual([1_000, 1_000])
  await rest.close()
  rest = await openRest({ contextWindow: undefined })
  const other: string = (await rest.send('POST', '/api/sessions', { body: {} })).body.session_id
  const said = await rest.say(other, 'hi')
  await rest.untilRecorded(other, ({ event }) => event.type === 'turn.ended' && event.turnId === said.turnId)
  const { body } = await rest.send('GET', `/api/sessions/${other}/messages`)
  expect(body).toMatchObject([{ context_window: null }, { context_window: null }])
})

it('blade 49: a long session is sent piece by piece, whole and in order', async () => {
  const id: string = (await rest.send('POST', '/api/sessions', { body: {} })).body.session_id
  for (let index = 0; index < 8; index++) {
    const { turnId } = await rest.say(id, `${index} ${'é'.repeat(700_000)}`)
    await rest.untilRecorded(id, ({ event }) => event.type === 'turn.ended' && event.turnId === turnId)
  }
  const answer = await fetch(`${rest.url}/api/sessions/${id}/messages`, { headers: { authorization: 'Bearer ann' } })
  expect([answer.headers.get('content-length'), answer.headers.get('content-type')]).toEqual([null, 'application/json'])
  const asked = { userId: ANN, sessionId: asSessionId(id) }
  expect(await answer.json()).toEqual(await readTurns(rest.engine, asked, rest.deps.describe))
})

it('blade 49, 160: clients that do not read a long session hold a piece of it, not all', async () => {
  const id: string = (await rest.send('POST', '/api/sessions', { body: {} })).body.session_id
  for (let index = 0; index < 24; index++) {
    const { turnId } = await rest.say(id, `${index} ${'x'.repeat(1_000_000)}`)
    await rest.untilRecorded(id, ({ event }) => event.type === 'turn.ended' && event.turnId === turnId)
  }
  const reader = new TurnReader(rest.engine, { userId: ANN, sessionId: asSessionId(id) }, rest.deps.describe)
  const lengths: number[] = []
  for (let turns = await reader.read(); turns !== undefined; turns = await reader.read()) {
    lengths.push(JSON.stringify(turns).length)
  }
  expect(lengths.length).toBeGreaterThan(6)
  expect(Math.max(...lengths)).toBeLessThan(4_000_000)
})

it('guests of a shared session see its messages without the memories of its owner', async () => {
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

import { describe, expect, it } from 'vitest'
import { calls, createFakeTool, finishes, given, says, startSession, thinks } from '@polylogue/testkit'
import { asEntryId, asTurnId, type JsonObject, type RecordedEvent } from '../index.ts'
import { decodeEvent, encodeEvent } from './codec.ts'

const IMAGE = { type: 'image', source: { type: 'blob', hash: 'h', mediaType: 'image/png' } } as const

const EVERY_TYPE: readonly RecordedEvent[] = [
  given.created({
    access: { type: 'listed', tools: [{ name: 'a', trust: true }, { name: 'b' }] },
    clientTools: [{ name: 'c', title: 'C', description: 'd', parameters: { type: 'object', properties: { x: {} } } }],
    options: { key: '***', language: 'German' },
    secretOptions: ['key'],
  }),
  {
    type: 'session.seeded',
    entryId: asEntryId('e'),
    messages: [
      { role: 'system', text: 's' },
      { role: 'user', content: [{ type: 'text', text: 'x' }, IMAGE] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', text: 't', opaque: { model: 'm', value: { a: [1, null] } } },
          given.call('a', 'b', { deep: { er: [true] } }),
        ],
      },
      { role: 'assistant', content: 'plain' },
    ],
  },
  given.configured({ preset: 'plan', access: { type: 'preset' }, options: { a: 'b' } }),
  { type: 'input.admitted', inputId: asEntryId('i'), turnId: asTurnId('t'), content: [IMAGE] },
  { type: 'input.dropped', inputId: asEntryId('i'), reason: 'user' },
  given.turnStarted('t', 'i'),
  { type: 'turn.started', turnId: asTurnId('t'), recovery: 'interrupt', parentEntryId: asEntryId('p') },
  given.paused('t'),
  given.resumed('t'),
  given.cancelRequested('t'),
  given.takenOver('t', 2),
  { type: 'turn.ended', turnId: asTurnId('t'), outcome: 'failed', error: { code: 'c', message: 'm' } },
  given.stepStarted('t', 's'),
  given.answered('t', 's', given.text('x'), given.call('a', 'client', { n: 1.5 })),
  given.stepEnded('t', 's', { outcome: 'cancelled', partial: [given.text('half')] }),
  given.approvalRequested('t', 'a'),
  given.approvalResolved('t', 'a', false),
  given.callStarted('t', 'a'),
  given.callSettled('t', 'a', { status: 'unknown', output: 'o' }),
]

describe('a stored event', () => {
  it.each(EVERY_TYPE.map((event) => [event.type, event] as const))(
    'of type %s reads back unchanged',
    (_type, event) => {
      expect(decodeEvent(encodeEvent(event))).toEqual(event)
    },
  )

  it('of every type that the engine writes reads back unchanged', async () => {
    const test = await startSession({ tools: [createFakeTool('t')] })
    test.model.push([thinks('hm'), says('x'), calls('a', 't', { n: 1 }), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    for (const event of await test.events()) expect(decodeEvent(encodeEvent(event))).toEqual(event)
  })

  it('keeps every key of an input, also one that names the prototype', () => {
    const input = JSON.parse('{"__proto__":{"x":1},"constructor":2}') as JsonObject
    const row = encodeEvent(given.answered('t', 's', given.call('a', 'b', input)))
    expect(encodeEvent(decodeEvent(row)).data).toBe(row.data)
  })

  it.each([
    ['no JSON', { type: 'turn.paused', version: 1, data: '{' }],
    ['a missing field', { type: 'turn.paused', version: 1, data: '{"type":"turn.paused"}' }],
    ['an unknown type', { type: 'turn.flew', version: 1, data: '{"type":"turn.flew"}' }],
    ['another type inside', { type: 'turn.paused', version: 1, data: '{"type":"turn.resumed","turnId":"t"}' }],
    ['a version of the future', { type: 'turn.paused', version: 2, data: '{"type":"turn.paused","turnId":"t"}' }],
    ['a version without an upcast', { type: 'turn.paused', version: 0, data: '{"type":"turn.paused","turnId":"t"}' }],
  ])('with %s is refused, never read as something else', (_what, row) => {
    expect(() => decodeEvent(row)).toThrow(/JSON|event turn\.|event row/)
  })
})

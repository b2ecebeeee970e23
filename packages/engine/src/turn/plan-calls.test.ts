import { describe, expect, it } from 'vitest'
import { createFakeTool, createJudging, createTestIds, foldEvents, given, testDigest } from '@polylogue/testkit'
import { asTurnId, type ClientTool, type JsonObject, type RecordedEvent, type ToolAccess } from '../index.ts'
import { hashCall } from '../permission/grant.ts'
import { chooseCallId, planCalls, toCallInput } from './plan-calls.ts'

const { call } = given
const tools = [
  createFakeTool('look', { effect: 'readonly', kind: 'read' }),
  createFakeTool('pay', { effect: 'unsafe' }),
  createFakeTool('inner', { effect: 'unsafe', exposed: false }),
]
const clientTool: ClientTool = { name: 'client', description: '', parameters: {} }
const LISTED: ToolAccess = { type: 'listed', tools: [{ name: 'look', trust: true }, { name: 'pay' }] }

function plan(blocks: Parameters<typeof planCalls>[0]['blocks'], created: Parameters<typeof given.created>[0] = {}) {
  const state = foldEvents([given.created({ access: LISTED, clientTools: [clientTool], ...created })])
  return planCalls({ turnId: asTurnId('t'), blocks }, state, createJudging({ tools }))
}

const refusals = (events: readonly RecordedEvent[]) =>
  events.flatMap((event) => (event.type === 'tool-call.settled' ? [event.output] : []))

describe('planning the calls of an answer', () => {
  it('runs a trusted tool and an unexposed one without an event', () => {
    expect(plan([call('1', 'look'), call('2', 'inner')])).toEqual({
      routes: { 1: 'server', 2: 'server' },
      kinds: { 1: 'read' },
      inspections: {},
      events: [],
    })
  })

  it('asks for an untrusted tool, bound to a hash of its name and input', () => {
    const { events } = plan([call('1', 'pay', { to: 'bob', sum: 3 })])
    expect(events).toEqual([
      {
        type: 'approval.requested',
        turnId: 't',
        toolCallId: '1',
        callHash: expect.stringMatching(/./),
        reason: 'mode-preset:pay',
        isCoverable: true,
        offers: [{ id: 'tool', label: 'Always allow pay in this session', covers: 'pay' }],
      },
    ])
    const hashes = [
      { sum: 3, to: 'bob' },
      { sum: 4, to: 'bob' },
    ].map((input) => plan([call('1', 'pay', input)]).events.map((event) => ('callHash' in event ? event.callHash : '')))
    expect(hashes[0]).toEqual(events.map((event) => ('callHash' in event ? event.callHash : '')))
    expect(hashes[1]).not.toEqual(hashes[0])
  })

  it('sends a call of a client tool to the client, without judging it', () => {
    expect(plan([call('1', 'client', { bad: true })])).toEqual({
      routes: { 1: 'client' },
      kinds: {},
      inspections: {},
      events: [],
    })
  })

  it('records the kind of a tool with its call, also when the call is refused', () => {
    expect(plan([call('1', 'look', { bad: true })]).kinds).toEqual({ 1: 'read' })
  })

  it('records no kind for a client tool that shares its name with one of the agent', () => {
    expect(plan([call('1', 'look')], { clientTools: [{ ...clientTool, name: 'look' }] }).kinds).toEqual({})
  })

  it('refuses unknown tools, disabled tools, tools that the preset denies, and invalid input', () => {
    const { events } = plan([call('1', 'nobody'), call('2', 'pay')], { access: { type: 'listed', tools: [] } })
    expect(refusals(events)).toEqual([
      'Error: there is no tool called nobody',
      'Error: the tool pay is not enabled in this session',
    ])
    expect(refusals(plan([call('1', 'pay')], { access: { type: 'preset' }, preset: 'plan' }).events)).toEqual([
      'Error: the tool pay is not allowed in mode plan',
    ])
    expect(refusals(plan([call('1', 'pay', { bad: true })]).events)).toEqual([
      'Error: invalid input for pay: bad: must not be true',
    ])
  })
})

describe('the hash of a call', () => {
  it('does not depend on the order of keys, and on nothing else but tool, input, directory and policy', () => {
    const hash = (tool: string, input: JsonObject, cwd = '/w', policy = 'p') =>
      hashCall({ tool, input, cwd, policy }, testDigest)
    expect(hash('a', {}, '/v')).not.toBe(hash('a', {}))
    expect(hash('a', {}, '/w', 'q')).not.toBe(hash('a', {}))
    expect(hash('a', { x: 1, y: { b: 2, a: [1, 2] } })).toBe(hash('a', { y: { a: [1, 2], b: 2 }, x: 1 }))
    expect(hash('a', { x: 1 })).not.toBe(hash('b', { x: 1 }))
    expect(hash('a', { x: 1 })).not.toBe(hash('a', { x: '1' }))
    expect(hash('a', { x: [1, 2] })).not.toBe(hash('a', { x: [2, 1] }))
  })
})

describe('the id of a call', () => {
  it('is the one of the model if it is usable and new', () => {
    expect(chooseCallId('call_1-A', new Set(), createTestIds())).toBe('call_1-A')
  })

  it.each(['', 'with space', 'ümlaut', 'x'.repeat(65), 'ask_x', '../x', '__proto__', 'taken'])(
    'is ours in place of %j',
    (id) => {
      expect(chooseCallId(id, new Set(['taken']), createTestIds())).toBe('tc_1')
    },
  )
})

describe('the input of a call', () => {
  it('is an object or nothing', () => {
    expect(toCallInput({ a: 1 })).toEqual({ a: 1 })
    for (const other of [undefined, null, 'text', 3, true, [1]]) expect(toCallInput(other)).toBeUndefined()
  })
})

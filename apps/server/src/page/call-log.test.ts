import { describe, expect, it } from 'vitest'
import { CallLog, describeReason } from './assets/call-log.js'

const answered = (id: string, route: string, more: object = {}) => ({
  type: 'step.answered',
  blocks: [
    { type: 'text', text: 'hm' },
    { type: 'tool-call', toolCallId: id, name: 'Bash', input: {} },
  ],
  routes: { [id]: route },
  ...more,
})

function logOf(...events: readonly ({ readonly type: string } & Record<string, unknown>)[]): CallLog {
  const log = new CallLog()
  log.take(events.map((event, index) => ({ seq: index + 1, event })))
  return log
}

describe('CallLog', () => {
  it.each([
    ['an approval that is not given', true, [answered('a', 'server'), { type: 'approval.requested', toolCallId: 'a' }]],
    ['a call that runs', false, [answered('a', 'server')]],
    ['a question', true, [answered('a', 'question')]],
    ['a tool of a client', true, [answered('a', 'client')]],
    ['a sub-agent, whose calls wait themselves', false, [answered('a', 'agent')]],
    [
      'an approval that was given',
      false,
      [
        answered('a', 'server'),
        { type: 'approval.requested', toolCallId: 'a' },
        { type: 'approval.resolved', toolCallId: 'a', granted: true },
      ],
    ],
    [
      'a question that was answered',
      false,
      [answered('a', 'question'), { type: 'tool-call.settled', toolCallId: 'a' }],
    ],
    ['a call that nobody knows', false, [{ type: 'approval.requested', toolCallId: 'a' }]],
  ])('says whether somebody must answer: %s', (_name, expected, events) => {
    expect(logOf(...events).isWaiting('a')).toBe(expected)
  })

  it('knows why it asks, and what would change', () => {
    const diffs = [{ path: '/a', newText: 'b' }]
    const log = logOf(answered('a', 'server', { inspections: { a: { facts: {}, preview: { diffs } } } }), {
      type: 'approval.requested',
      toolCallId: 'a',
      reason: 'mode-preset:Bash',
    })
    expect(log.find('a')).toMatchObject({ diffs, reason: 'mode-preset:Bash' })
  })

  it('knows whose call it is', () => {
    const started = { type: 'loop.started', loopId: 'loop_1', agent: 'assistant', description: 'Look' }
    const log = logOf(started, answered('a', 'server', { loopId: 'loop_1' }), answered('b', 'server'))
    expect(log.subAgentOf('a')).toEqual({ agent: 'assistant', description: 'Look' })
    expect(log.subAgentOf('b')).toBeUndefined()
  })

  it('takes every entry once', () => {
    const log = logOf(answered('a', 'server'), { type: 'approval.requested', toolCallId: 'a' })
    log.take([{ seq: 3, event: { type: 'approval.resolved', toolCallId: 'a' } }])
    log.take([{ seq: 2, event: { type: 'approval.requested', toolCallId: 'a' } }])
    expect(log.isWaiting('a')).toBe(false)
    expect(log.seq).toBe(3)
  })
})

describe('describeReason', () => {
  it.each([
    ['mode-preset:Bash', /^The mode /],
    ['not-trusted:Bash', /not trusted/],
    ['user-rule:Bash', /your rules/],
    ['not-understood', /look closely/],
    ['something:else', /^something:else$/],
    [undefined, /^$/],
  ])('says %s in words', (reason, expected) => {
    expect(describeReason(reason)).toMatch(expected)
  })
})

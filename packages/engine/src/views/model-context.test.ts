import { describe, expect, it } from 'vitest'
import { asRecorded, given } from '@polylogue/testkit'
import { asEntryId, asToolCallId, type RecordedEvent, type ConversationMessage } from '../index.ts'
import { ModelContext } from './model-context.ts'

const { call, text } = given
const BEGUN = [
  given.created(),
  given.admitted('i', 't', 'go'),
  given.turnStarted('t', 'i'),
  given.stepStarted('t', 's'),
]

function contextOf(events: readonly RecordedEvent[]): ModelContext {
  const context = new ModelContext()
  for (const recorded of asRecorded(events)) context.apply(recorded)
  return context
}

const seeded = (...messages: ConversationMessage[]): RecordedEvent[] => [
  given.created(),
  { type: 'session.seeded', entryId: asEntryId('seed'), messages },
]
const asks = (...ids: string[]): ConversationMessage => ({
  role: 'assistant',
  content: ids.map((id) => call(id, 'browse')),
})
const answers = (id: string, content = `result of ${id}`): ConversationMessage => ({
  role: 'tool',
  toolCallId: asToolCallId(id),
  content,
})
const outline = (context: ModelContext) =>
  context
    .messages()
    .map((message) =>
      message.role === 'tool' ? `tool ${message.toolCallId}: ${JSON.stringify(message.content)}` : message.role,
    )

describe('what the model is given', () => {
  it('is inputs, answers and results, in the order of the log', () => {
    const events = [
      ...BEGUN,
      given.answered('t', 's', text('I look'), call('a', 'look')),
      given.callStarted('t', 'a'),
      given.callSettled('t', 'a', { status: 'completed', output: 'seen' }),
      given.stepEnded('t', 's'),
    ]
    expect(contextOf(events).messages()).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [text('I look'), call('a', 'look')], model: 'fake/model' },
      { role: 'tool', toolCallId: 'a', name: 'look', content: 'seen', isError: false },
    ])
  })

  it.each(['failed', 'denied', 'cancelled', 'unknown'] as const)('marks a %s call as an error', (status) => {
    const events = [...BEGUN, given.answered('t', 's', call('a', 'look')), given.callSettled('t', 'a', { status })]
    expect(contextOf(events).messages().at(-1)).toMatchObject({ role: 'tool', isError: true })
  })

  it('has no queued input before its turn, and no dropped one ever', () => {
    const queued = [...BEGUN, given.admitted('i2', 't2', 'later')]
    expect(contextOf(queued).messages().length).toBe(1)
    const dropped: RecordedEvent[] = [...queued, { type: 'input.dropped', inputId: asEntryId('i2'), reason: 'user' }]
    expect(contextOf(dropped).messages().length).toBe(1)
  })

  it('says which message follows a turn that the user stopped, to the model only', () => {
    const stopped = contextOf([
      ...BEGUN,
      given.stepEnded('t', 's', { outcome: 'cancelled' }),
      given.turnEnded('t', 'cancelled'),
      given.admitted('i2', 't2', 'something else'),
      given.turnStarted('t2', 'i2'),
      given.turnEnded('t2'),
      given.admitted('i3', 't3', 'and more'),
      given.turnStarted('t3', 'i3'),
    ])
    expect(stopped.messages()).toEqual([
      { role: 'user', content: 'go' },
      { role: 'user', content: 'something else', isAfterStop: true },
      { role: 'user', content: 'and more' },
    ])
    expect(stopped.history()).toEqual(
      ['go', 'something else', 'and more'].map((content) => ({ role: 'user', content })),
    )
  })

  it.each([
    ['cancelled', ['user', 'assistant']],
    ['failed', ['user']],
    ['interrupted', ['user']],
  ] as const)('of a step that was %s is %j', (outcome, roles) => {
    const events = [
      ...BEGUN,
      given.stepEnded('t', 's', { outcome, partial: [{ type: 'thinking', text: 'hm' }, text('half')] }),
    ]
    const messages = contextOf(events).messages()
    expect(messages.map(({ role }) => role)).toEqual(roles)
    expect(messages.slice(1)).toEqual(roles.slice(1).map(() => ({ role: 'assistant', content: [text('half')] })))
  })

  it('joins the instructions of the agent and of the seed', () => {
    const context = contextOf(seeded({ role: 'system', text: 'Be brief.' }, { role: 'user', content: 'hi' }))
    expect(context.system('You are a test.')).toBe('You are a test.\n\nBe brief.')
    expect(context.history()).toEqual([
      { role: 'system', text: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ])
  })
})

describe('a seed as the model is given it', () => {
  it('keeps its messages as they are when every call has its result in place', () => {
    expect(
      outline(contextOf(seeded({ role: 'user', content: 'hi' }, asks('a', 'b'), answers('b'), answers('a')))),
    ).toEqual(['user', 'assistant', 'tool b: "result of b"', 'tool a: "result of a"'])
  })

  it('answers a call that was open when the user spoke again', () => {
    expect(outline(contextOf(seeded(asks('a'), { role: 'user', content: 'hi' })))).toEqual([
      'assistant',
      'tool a: "Tool call cancelled: superseded by a new user message"',
      'user',
    ])
  })

  it('answers a call that was open when the assistant spoke again', () => {
    expect(outline(contextOf(seeded(asks('a'), { role: 'assistant', content: 'so' })))).toEqual([
      'assistant',
      'tool a: "Tool call cancelled: superseded by a new user message"',
      'assistant',
    ])
  })

  it('puts a late result in its place', () => {
    expect(outline(contextOf(seeded(asks('a'), { role: 'user', content: 'hi' }, answers('a'))))).toEqual([
      'assistant',
      'tool a: "result of a"',
      'user',
    ])
  })
})

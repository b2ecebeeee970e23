import { describe, expect, it } from 'vitest'
import { foldEvents, given } from '@polylogue/testkit'
import { ROOT_LOOP, asEntryId, asLoopId, asToolCallId, asTurnId, type RecordedEvent } from '../index.ts'

const { call, text } = given
const BEGUN = [given.created(), given.admitted('i', 't', 'hello'), given.turnStarted('t', 'i')]
const ASKED = [...BEGUN, given.stepStarted('t', 's')]

describe('the fold of a log', () => {
  it('begins with session.created and has it only there', () => {
    expect(() => foldEvents([given.paused('t')])).toThrow('begins with session.created')
    expect(() => foldEvents([given.created(), given.created()])).toThrow('only at the beginning')
  })

  it('counts seqs and keeps the times of creation and of the last event', () => {
    expect(foldEvents(BEGUN)).toMatchObject({ seq: 3, createdAt: 1, updatedAt: 3 })
  })

  it('keeps the time of the last change when a session is pinned, and only then', () => {
    const pinned = given.configured({ isPinned: true })
    const renamed = given.configured({ isPinned: true, title: 'Mine' })
    expect(foldEvents([...BEGUN, pinned])).toMatchObject({ seq: 4, settings: { isPinned: true }, updatedAt: 3 })
    expect(foldEvents([...BEGUN, pinned, renamed])).toMatchObject({ seq: 5, updatedAt: 5 })
  })

  it('knows the newest entry: the parent of the next one', () => {
    expect(foldEvents([given.created()]).head).toBeUndefined()
    expect(foldEvents(BEGUN).head).toBe('i')
    expect(foldEvents(ASKED).head).toBe('s')
  })

  it('keeps admitted inputs in order until their turn starts or they are dropped', () => {
    const queued = [...ASKED, given.admitted('i2', 't2'), given.admitted('i3', 't3')]
    expect(foldEvents(queued).queue.map(({ inputId }) => inputId)).toEqual(['i2', 'i3'])
    const dropped: RecordedEvent = { type: 'input.dropped', inputId: asEntryId('i2'), reason: 'user' }
    expect(foldEvents([...queued, dropped]).queue.map(({ inputId }) => inputId)).toEqual(['i3'])
    expect(foldEvents([...queued, dropped, given.turnEnded('t'), given.turnStarted('t3', 'i3')]).queue).toEqual([])
  })

  it('follows a turn from start to end', () => {
    expect(foldEvents(BEGUN).turn).toMatchObject({ turnId: 't', status: 'running', takeovers: 0, answeredSteps: 0 })
    expect(foldEvents([...BEGUN, given.paused('t')]).turn?.status).toBe('waiting')
    expect(foldEvents([...BEGUN, given.paused('t'), given.resumed('t')]).turn?.status).toBe('running')
    expect(foldEvents([...BEGUN, given.takenOver('t', 2)]).turn?.takeovers).toBe(2)
    expect(foldEvents([...BEGUN, given.cancelRequested('t')]).turn?.cancelled).toBe('user')
    expect(foldEvents([...BEGUN, given.turnEnded('t', 'refused')])).toMatchObject({
      turn: undefined,
      lastOutcome: 'refused',
    })
  })

  it('follows a call from the answer to its result and then forgets its input', () => {
    const phases: unknown[] = []
    const events = [
      ...ASKED,
      given.answered('t', 's', text('x'), call('a', 'x', { big: 'input' })),
      given.approvalRequested('t', 'a'),
      given.approvalResolved('t', 'a', true),
      given.callStarted('t', 'a', 1),
      given.callStarted('t', 'a', 2),
      given.callSettled('t', 'a'),
    ]
    for (let length = ASKED.length + 1; length <= events.length; length++) {
      const [open] = foldEvents(events.slice(0, length)).turn?.step?.calls ?? []
      phases.push([open?.phase, open?.attempt, open?.input])
    }
    const input = { big: 'input' }
    expect(phases).toEqual([
      ['ready', 0, input],
      ['awaiting-approval', 0, input],
      ['ready', 0, input],
      ['running', 1, input],
      ['running', 2, input],
      ['settled', 2, {}],
    ])
  })

  it('counts answered steps only', () => {
    const interrupted = [...ASKED, given.stepEnded('t', 's', { outcome: 'interrupted' }), given.stepStarted('t', 's2')]
    expect(foldEvents(interrupted).turn?.answeredSteps).toBe(0)
    expect(foldEvents([...interrupted, given.answered('t', 's2', text('x'))]).turn?.answeredSteps).toBe(1)
  })

  it('merges options by key and replaces lists', () => {
    const created = given.created({
      options: { a: '1', b: '2' },
      clientTools: [{ name: 'x', description: '', parameters: {} }],
    })
    const state = foldEvents([
      created,
      given.configured({ options: { b: '3', key: '***' }, secretOptions: ['key'], clientTools: [] }),
    ])
    expect(state.settings).toMatchObject({
      options: { a: '1', b: '3', key: '***' },
      secretOptions: ['key'],
      clientTools: [],
    })
  })

  it('does not take the step of a sub-agent for its own', () => {
    const child: RecordedEvent = {
      type: 'step.started',
      turnId: asTurnId('t'),
      stepId: asEntryId('child'),
      loopId: asLoopId('loop-1'),
      parentToolCallId: asToolCallId('a'),
      model: 'fake/model',
    }
    expect(foldEvents([...ASKED, child]).turn?.step).toMatchObject({ stepId: 's', loopId: ROOT_LOOP })
  })
})

describe('the title', () => {
  it('that is empty does not count: the next message gives one', () => {
    const emptied = given.configured({ title: '' })
    const named = given.configured({ title: 'Roof' })
    expect(foldEvents([given.created(), named, emptied]).settings).not.toHaveProperty('title')
    expect(foldEvents([given.created({ title: '' }), given.admitted('i', 't', 'hello')]).settings.title).toBe('hello')
    expect(foldEvents([given.created(), emptied, given.admitted('i', 't', 'hello')]).settings.title).toBe('hello')
    expect(foldEvents([given.created(), named, given.admitted('i', 't', 'hello')]).settings.title).toBe('Roof')
  })

  const titleOf = (content: string) => foldEvents([given.created(), given.admitted('i', 't', content)]).settings.title

  it('is the first user text, on one line', () => {
    expect(titleOf('  Hello\n  there ')).toBe('Hello there')
    expect(titleOf('   ')).toBeUndefined()
    expect(foldEvents([...BEGUN, given.turnEnded('t'), given.admitted('i2', 't2', 'second')]).settings.title).toBe(
      'hello',
    )
  })

  it('has at most 60 characters and never half a character', () => {
    expect(titleOf('a'.repeat(60))).toBe('a'.repeat(60))
    expect(titleOf('a'.repeat(61))).toBe(`${'a'.repeat(59)}…`)
    expect(titleOf(`${'a'.repeat(58)}😀😀`)).toBe(`${'a'.repeat(58)}…`)
  })

  it('comes from the seed where there is one', () => {
    const seeded: RecordedEvent = {
      type: 'session.seeded',
      entryId: asEntryId('e'),
      messages: [{ role: 'user', content: 'from before' }],
    }
    expect(foldEvents([given.created(), seeded]).settings.title).toBe('from before')
  })
})

describe('a seed with open calls', () => {
  const seeded: RecordedEvent = {
    type: 'session.seeded',
    entryId: asEntryId('seed'),
    messages: [
      { role: 'assistant', content: [call('a', 'browse'), call('b', 'browse')] },
      { role: 'tool', toolCallId: asToolCallId('a'), content: 'x' },
    ],
  }

  it('is continued by a turn without input, whose step holds the open calls', () => {
    const state = foldEvents([
      given.created(),
      seeded,
      { type: 'turn.started', turnId: asTurnId('t'), recovery: 'continue' },
    ])
    expect(state.turn?.step).toMatchObject({
      stepId: 'seed',
      phase: 'settling',
      calls: [{ toolCallId: 'b', phase: 'awaiting-client' }],
    })
  })

  it('is left behind by a turn with an input', () => {
    const state = foldEvents([given.created(), seeded, given.admitted('i', 't'), given.turnStarted('t', 'i')])
    expect(state).toMatchObject({ seededCalls: [], turn: { step: undefined } })
  })
})

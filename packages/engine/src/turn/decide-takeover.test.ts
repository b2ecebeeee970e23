import { describe, expect, it } from 'vitest'
import { createFakeTool, createTestAgent, foldEvents, given } from '@polylogue/testkit'
import { asEntryId, type Draft, type RecordedEvent, type ToolEffect } from '../index.ts'
import { decideTakeover } from './decide-takeover.ts'

const { call, text } = given
const BEGUN = [given.created(), given.admitted('i', 't'), given.turnStarted('t', 'i')]
const ASKING = [...BEGUN, given.stepStarted('t', 's')]
const effects: ToolEffect[] = ['readonly', 'idempotent', 'unsafe']
const agent = createTestAgent({ tools: effects.map((effect) => createFakeTool(effect, { effect })) })
const RUNNING = [
  ...ASKING,
  given.answered('t', 's', call('r', 'readonly'), call('i', 'idempotent'), call('u', 'unsafe')),
  given.callStarted('t', 'r'),
  given.callStarted('t', 'i'),
  given.callStarted('t', 'u'),
]
const draft = (block: number, kind: 'text' | 'thinking', words: string, stepId = 's'): Draft => ({
  stepId: asEntryId(stepId),
  block,
  kind,
  text: words,
})

const catalogOf = (known: typeof agent | undefined) => ({ find: () => known, list: () => (known ? [known] : []) })

function foldTurn(events: readonly RecordedEvent[]) {
  const state = foldEvents(events)
  if (state.turn === undefined) throw new Error('there is no turn to take over')
  return { ...state, turn: state.turn }
}

function takeOver(
  events: readonly RecordedEvent[],
  drafts: readonly Draft[] = [],
  known: typeof agent | undefined = agent,
): RecordedEvent[] {
  return decideTakeover(foldTurn(events), drafts, { agents: catalogOf(known), recovery: 'continue', isFromDead: true })
}

const statuses = (events: readonly RecordedEvent[]) =>
  events.flatMap((event) => (event.type === 'tool-call.settled' ? [`${event.toolCallId} ${event.status}`] : []))

describe('a takeover', () => {
  it('of a turn between two steps records only itself', () => {
    expect(takeOver(BEGUN)).toEqual([given.takenOver('t', 1)])
  })

  it('does not count when no process died', () => {
    const state = foldTurn([...BEGUN, given.takenOver('t', 3)])
    const context = { agents: catalogOf(agent), recovery: 'continue' as const, isFromDead: false }
    expect(decideTakeover(state, [], context)).toEqual([given.takenOver('t', 3)])
  })

  it('counts on from the takeovers before it', () => {
    expect(takeOver([...BEGUN, given.takenOver('t', 2)])).toEqual([given.takenOver('t', 3)])
  })

  it('ends an unanswered step as interrupted with its drafts, in the order of their blocks', () => {
    const drafts = [
      draft(2, 'text', 'so far'),
      draft(0, 'thinking', 'hm'),
      draft(1, 'text', ''),
      draft(0, 'text', 'old', 'other'),
    ]
    expect(takeOver(ASKING, drafts)).toEqual([
      given.takenOver('t', 1),
      given.stepEnded('t', 's', {
        outcome: 'interrupted',
        partial: [{ type: 'thinking', text: 'hm' }, text('so far')],
      }),
    ])
  })

  it('gives only unsafe calls in flight an unknown outcome', () => {
    const events = takeOver(RUNNING)
    expect(statuses(events)).toEqual(['u unknown'])
    expect(events.map((event) => event.type)).toEqual(['turn.taken-over', 'tool-call.settled'])
  })

  it('ends the step when the unsafe call was the last open one', () => {
    const events = takeOver([...ASKING, given.answered('t', 's', call('u', 'unsafe')), given.callStarted('t', 'u')])
    expect(events.map((event) => event.type)).toEqual(['turn.taken-over', 'tool-call.settled', 'step.ended'])
  })

  it('takes a call of a tool that is gone for unsafe', () => {
    const events = takeOver(RUNNING, [], createTestAgent({ tools: [] }))
    expect(statuses(events)).toEqual(['r unknown', 'i unknown', 'u unknown'])
  })

  it('leaves calls alone that had not begun or wait for a human', () => {
    const answered = given.answered('t', 's', call('u', 'unsafe'), call('a', 'unsafe'), call('c', 'client'))
    expect(takeOver([...ASKING, answered, given.approvalRequested('t', 'a')])).toEqual([given.takenOver('t', 1)])
  })

  it('finishes a cancel: calls in flight that may have had an effect are unknown, the others cancelled', () => {
    const events = takeOver([...RUNNING, given.cancelRequested('t')])
    expect(statuses(events)).toEqual(['i unknown', 'u unknown', 'r cancelled'])
    expect(events.slice(-2)).toEqual([given.stepEnded('t', 's'), given.turnEnded('t', 'cancelled')])
  })

  it('ends a turn that must not continue as interrupted, with the same honesty about its calls', () => {
    const [created, admitted, , ...rest] = RUNNING
    const events = takeOver([created!, admitted!, given.turnStarted('t', 'i', 'interrupt'), ...rest])
    expect(statuses(events)).toEqual(['i unknown', 'u unknown', 'r cancelled'])
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'interrupted' })
  })

  it('fails the turn when its agent is gone', () => {
    const context = { agents: catalogOf(undefined), recovery: 'continue' as const, isFromDead: true }
    const events = decideTakeover(foldTurn(ASKING), [], context)
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'failed' })
  })

  it('fails the turn the fourth time', () => {
    expect(takeOver([...ASKING, given.takenOver('t', 3)]).slice(1)).toMatchObject([
      { type: 'step.ended', outcome: 'failed' },
      { type: 'turn.ended', outcome: 'failed' },
    ])
  })

  it('starts the oldest queued input in place of a turn that ends', () => {
    const events = takeOver([
      ...ASKING,
      given.admitted('i2', 't2'),
      given.admitted('i3', 't3'),
      given.cancelRequested('t'),
    ])
    expect(events.at(-1)).toMatchObject({ type: 'turn.started', turnId: 't2', inputId: 'i2', parentEntryId: 's' })
  })

  it.each([
    ['an unanswered step', ASKING],
    ['calls in flight', RUNNING],
  ])('of %s, done twice, repairs nothing twice', (_name, events) => {
    const once = takeOver(events, [draft(0, 'text', 'half')])
    const twice = takeOver([...events, ...once], [])
    expect(twice).toEqual([given.takenOver('t', 2)])
  })
})

import {
  ROOT_LOOP,
  asEntryId,
  asLoopId,
  asSessionId,
  asToolCallId,
  asTurnId,
  asUserId,
  createSettings,
  type RecordedEvent,
} from '@polylogue/engine'
import { createFakeModel, createTestAgent } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { readAbilities } from '../client-abilities.ts'
import { LiveNotes } from './live-notes.ts'
import { NO_SETTINGS } from './session-settings.ts'

const turnId = asTurnId('turn_1')
const stepId = asEntryId('entry_1')
const SETTINGS = { ...NO_SETTINGS, agent: 'tester' }

function openNotes(capabilities: Readonly<Record<string, unknown>> = { session: { compaction: {} } }) {
  const agent = { ...createTestAgent(), name: 'tester', modelName: 'fake/model', contextWindow: 1_000 }
  const model = { ...createFakeModel(), contextWindow: 2_000 }
  const notes = new LiveNotes({
    agents: { find: () => agent, list: () => [agent] },
    models: { find: (name) => (name === 'fake/large' ? { model, modelName: name } : undefined), list: () => [] },
    abilities: readAbilities(capabilities),
    profile: 'standard',
    configOptions: () => [],
    isChanging: () => false,
  })
  return (event: RecordedEvent) => notes.recorded(event, SETTINGS, SETTINGS)
}

const started = (model: string, loopId = ROOT_LOOP): RecordedEvent => ({
  type: 'step.started',
  turnId,
  stepId,
  loopId,
  model,
})
const answered = (more: object = {}): RecordedEvent => ({
  type: 'step.answered',
  turnId,
  stepId,
  blocks: [],
  routes: {},
  finish: 'stop',
  usage: { inputTokens: 100, outputTokens: 20 },
  ...more,
})

describe('notes of how full the context is', () => {
  it('use the context window of the model that answered', () => {
    const tell = openNotes()
    tell(started('fake/model'))
    expect(tell(answered())).toEqual([{ sessionUpdate: 'usage_update', used: 120, size: 1_000 }])
    tell(started('fake/large'))
    expect(tell(answered())).toEqual([{ sessionUpdate: 'usage_update', used: 120, size: 2_000 }])
    tell(started('fake/unknown'))
    expect(tell(answered())).toEqual([])
  })

  it('include the cost of the session with its sub-agents and compactions, if prices are known', () => {
    const tell = openNotes()
    const usage = (nano: number, currency = 'USD') => ({
      usage: { inputTokens: 1, outputTokens: 1, cost: { nano, currency } },
    })
    tell(started('fake/model'))
    expect(tell(answered(usage(1_500_000)))).toMatchObject([{ cost: { amount: 0.0015, currency: 'USD' } }])
    tell(answered({ ...usage(2_000_000_000), loopId: asLoopId('child') }))
    const compactionId = asEntryId('entry_2')
    tell({ type: 'compaction.ended', compactionId, outcome: 'completed', ...usage(500_000_000) })
    expect(tell(answered())).toMatchObject([{ cost: { amount: 2.5015, currency: 'USD' } }])
    expect(tell(answered(usage(1, 'EUR')))).toEqual([{ sessionUpdate: 'usage_update', used: 2, size: 1_000 }])
  })

  it('leave out sub-agents and questions that the engine asks', () => {
    const tell = openNotes()
    tell(started('fake/model'))
    tell(answered())
    const loopId = asLoopId('child')
    tell(started('fake/large', loopId))
    expect(tell(answered({ loopId }))).toEqual([])
    tell(started('polylogue/budget'))
    const routes = { [asToolCallId('tc_1')]: 'question' }
    expect(tell(answered({ by: 'engine', routes, usage: { inputTokens: 0, outputTokens: 0 } }))).toEqual([])
    const compactionId = asEntryId('entry_2')
    expect(tell({ type: 'compaction.ended', compactionId, loopId, outcome: 'completed', tokensAfter: 5 })).toEqual([])
    expect(tell({ type: 'compaction.ended', compactionId, outcome: 'completed', tokensAfter: 50 })).toEqual([
      { sessionUpdate: 'compaction_update', compactionId, status: 'completed' },
      { sessionUpdate: 'usage_update', used: 50, size: 1_000 },
    ])
  })
})

describe('notes about a compaction', () => {
  it('are a message each, as thoughts if the client shows no compactions', () => {
    const compactionId = asEntryId('entry_2')
    const tell = openNotes({})
    const ids = [
      ...tell({ type: 'compaction.started', compactionId, trigger: 'manual', model: 'fake/model', tokensBefore: 9 }),
      ...tell({ type: 'compaction.ended', compactionId, outcome: 'completed' }),
    ].map((update) => update.sessionUpdate === 'agent_thought_chunk' && update.messageId)
    expect(ids).toEqual(['entry_2_compaction.started', 'entry_2_compaction.ended'])
  })
})

describe('notes about the place of the session', () => {
  it('name instruction files once, as a thought if the client shows no notices', () => {
    const tell = openNotes()
    const sources = [
      { path: '/p/AGENTS.md', use: 'used', notice: '/p/AGENTS.md is used as instructions.' },
      { path: '/p/CLAUDE.md', use: 'used' },
    ] as const
    expect(tell({ type: 'surroundings.noted', turnId, fingerprint: 'f', text: '', sources })).toEqual([
      {
        sessionUpdate: 'agent_thought_chunk',
        messageId: 'turn_1_instructions_0',
        content: { type: 'text', text: '/p/AGENTS.md is used as instructions.' },
      },
    ])
  })
})

describe('the cost of a fork', () => {
  it('leaves out the cost of its parent', () => {
    const tell = openNotes()
    const paid = answered({
      usage: { inputTokens: 100, outputTokens: 20, cost: { nano: 5_000_000_000, currency: 'USD' } },
    })
    tell({
      type: 'session.created',
      sessionId: asSessionId('s'),
      userId: asUserId('u'),
      agent: 'tester',
      settings: createSettings({ access: { type: 'preset' } }),
      origin: { ancestors: [], throughSeq: 3 },
    })
    tell(started('fake/model'))
    expect(tell(paid)).toEqual([{ sessionUpdate: 'usage_update', used: 120, size: 1_000 }])
    tell(started('fake/model'))
    expect(tell(paid)).toMatchObject([{ used: 120, cost: { amount: 5, currency: 'USD' } }])
  })
})

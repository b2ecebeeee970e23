import {
  asSessionId,
  asUserId,
  type CallFacts,
  type JsonObject,
  type PermissionRule,
  type Preset,
  type RecordedEvent,
  type Tool,
} from '@polylogue/engine'
import {
  createFakeClock,
  createFakeTool,
  createMemoryEventStore,
  createTestAgent,
  given,
  type MemoryEventStore,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { backtest, type BacktestQuery } from './backtest.ts'

const ANNA = asUserId('anna')
const COMMAND: CallFacts = { type: 'shell', risk: 'other', isUnderstood: true, hasWrapper: false }
const bash: Tool = {
  ...createFakeTool('Bash', { effect: 'unsafe' }),
  nature: 'shell',
  inspect: async () => ({ facts: COMMAND }),
}
const agent = createTestAgent({ tools: [bash, createFakeTool('act', { effect: 'unsafe' })] })
const agents = { find: (name: string) => (name === agent.name ? agent : undefined), list: () => [agent] }
const operator = { denyRules: [], hosts: { allow: [], block: [] } }

interface Made {
  readonly id: string
  readonly tool?: string
  readonly input?: JsonObject
  readonly facts?: CallFacts
  readonly fate?: 'granted' | 'rejected' | 'waiting' | 'denied' | 'refused'
}

const callEvents = ({ id, tool = 'Bash', input = {}, facts, fate }: Made): readonly RecordedEvent[] => {
  const answered = given.answered('turn_1', `entry_${id}`, given.call(id, tool, input))
  const step = facts ? ({ ...answered, inspections: { [id]: { facts } } } as RecordedEvent) : answered
  const settled = given.callSettled('turn_1', id)
  const byEngine = (status: 'denied' | 'failed') => ({ ...settled, by: 'engine', status }) as RecordedEvent
  if (fate === 'denied' || fate === 'refused') return [step, byEngine(fate === 'denied' ? 'denied' : 'failed')]
  const asked = fate === undefined ? [] : [given.approvalRequested('turn_1', id)]
  if (fate === 'waiting') return [step, ...asked]
  if (fate === undefined) return [step, given.callStarted('turn_1', id), settled]
  const answer = given.approvalResolved('turn_1', id, fate === 'granted')
  return [step, ...asked, answer, ...(fate === 'granted' ? [given.callStarted('turn_1', id), settled] : [])]
}

let sessions = 0
async function record(store: MemoryEventStore, calls: readonly Made[], more: { preset?: Preset; user?: string } = {}) {
  const sessionId = asSessionId(`0198c0de-7a11-7000-8000-${String((sessions += 1)).padStart(12, '0')}`)
  const { preset = 'workspace-write', user = 'anna' } = more
  await store.append({
    sessionId,
    expectedSeq: 0,
    create: { userId: asUserId(user) },
    at: sessions,
    events: [{ ...given.created({ preset }), sessionId, userId: asUserId(user) }, ...calls.flatMap(callEvents)],
    wanted: false,
  })
  return sessionId
}

const openStore = () => createMemoryEventStore({ clock: createFakeClock() })
const ALLOW_TESTS: PermissionRule = { tool: 'Bash', args: { command: '^npm test$' }, action: 'allow' }
const standing = { now: () => 0 }
const test = (store: MemoryEventStore, proposed: PermissionRule, more: Partial<BacktestQuery> = {}, clock = standing) =>
  backtest(
    { userId: ANNA, proposed, rules: [], isFirst: false, calls: 100, ...more },
    { events: store, agents, operator, clock },
  )

describe('a backtest', () => {
  it('says what would have become of every call that the rule is about, newest first', async () => {
    const store = openStore()
    const npm = { input: { command: 'npm test' }, facts: COMMAND }
    const older = await record(store, [{ id: 'c1', ...npm, fate: 'granted' }])
    const newer = await record(store, [
      { id: 'c2', ...npm, fate: 'rejected' },
      { id: 'c3', input: { command: 'npm test; rm x' }, facts: COMMAND, fate: 'granted' },
      { id: 'c4', ...npm, fate: 'waiting' },
    ])
    const result = await test(store, ALLOW_TESTS)
    expect(result).toMatchObject({
      sessions: 2,
      looked: 4,
      unknown: 0,
      changed: 3,
      totals: { allow: 3, ask: 0, deny: 0, disabled: 0 },
      isComplete: true,
    })
    const changed = { without: 'ask', with: 'allow', reason: 'user-rule:Bash', what: '{"command":"npm test"}' }
    expect(result.calls).toMatchObject([
      { sessionId: newer, toolCallId: 'c4', happened: 'unanswered', ...changed },
      { sessionId: newer, toolCallId: 'c2', happened: 'rejected', ...changed },
      { sessionId: older, toolCallId: 'c1', happened: 'granted', ...changed },
    ])
  })

  it('judges by the facts that were recorded and the preset of that moment', async () => {
    const store = openStore()
    const hardline: CallFacts = { ...COMMAND, type: 'shell', risk: 'dangerous', hardline: 'mkfs' } as CallFacts
    await record(store, [{ id: 'c1', facts: hardline, fate: 'denied' }])
    await record(store, [{ id: 'c2', facts: COMMAND, fate: 'denied' }], { preset: 'plan' })
    const { calls } = await test(store, { tool: 'Bash', action: 'allow' })
    expect(calls.map(({ happened, with: verdict, reason }) => [happened, verdict, reason])).toEqual([
      ['denied', 'deny', 'mode-preset:Bash'],
      ['denied', 'deny', 'hardline:mkfs'],
    ])
  })

  it('tries the rule after those that are there, or before them', async () => {
    const store = openStore()
    await record(store, [{ id: 'c1', tool: 'act' }])
    const rules: readonly PermissionRule[] = [{ tool: 'act', action: 'ask' }]
    const deny: PermissionRule = { tool: 'act', action: 'deny' }
    expect((await test(store, deny, { rules })).totals).toMatchObject({ ask: 1, deny: 0 })
    expect((await test(store, deny, { rules, isFirst: true })).totals).toMatchObject({ ask: 0, deny: 1 })
  })

  it('counts undecidable calls, and leaves out those that could not run', async () => {
    const store = openStore()
    await record(store, [
      { id: 'c1', tool: 'gone' },
      { id: 'c2', tool: 'Bash' },
      { id: 'c3', tool: 'act', fate: 'refused' },
      { id: 'c4', tool: 'clientSide' },
    ])
    const result = await test(store, { tool: '*', action: 'deny' })
    expect(result).toMatchObject({ unknown: 2, calls: [], totals: { deny: 0 } })
  })

  it('is of the sessions of its user alone', async () => {
    const store = openStore()
    await record(store, [{ id: 'c1', tool: 'act' }], { user: 'ben' })
    expect((await test(store, { tool: '*', action: 'deny' })).looked).toBe(0)
  })

  it('is bounded, and says so', async () => {
    const store = openStore()
    for (let session = 0; session < 3; session += 1) {
      const ids = Array.from({ length: 150 }, (_, index) => `s${session}_${index}`)
      await record(
        store,
        ids.map((id) => ({ id, tool: 'act' })),
      )
    }
    const result = await test(store, { tool: 'act', action: 'deny' }, { calls: 300 })
    expect(result).toMatchObject({ looked: 300, totals: { deny: 300 }, isComplete: false })
    expect(result.calls).toHaveLength(200)
    expect(result.calls[0]?.toolCallId).toBe('s2_149')
  })

  it('ends when it has taken long enough', async () => {
    const store = openStore()
    await record(
      store,
      Array.from({ length: 20 }, (_, index) => ({ id: `c${index}`, tool: 'act' })),
    )
    let now = 0
    const result = await test(store, { tool: 'act', action: 'deny' }, {}, { now: () => (now += 1_000) })
    expect(result).toMatchObject({ looked: 5, totals: { deny: 5 }, isComplete: false })
  })
})

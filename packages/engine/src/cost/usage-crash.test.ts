import { describe, expect, it } from 'vitest'
import {
  calls,
  createAgentTool,
  createFakeClock,
  createFakeModel,
  createFakeTool,
  createMemoryEventStore,
  createProcessStore,
  createTestEngine,
  createTestIds,
  result,
  says,
  useSession,
  untilQuiet,
  type FakeModel,
} from '@polylogue/testkit'
import { textOf, type ModelOutput, type RecordedEvent } from '../index.ts'

const took = (inputTokens: number, finish: 'stop' | 'tool-calls'): ModelOutput => ({
  type: 'finished',
  finish,
  usage: { inputTokens, outputTokens: 1 },
})

/** Looks around twice and hands work to a sub-agent, which looks around too; the same whoever asks it again. */
function createWorker(): FakeModel {
  const fake = createFakeModel()
  let made = 0
  return {
    ...fake,
    async *stream({ messages, step }) {
      const told = textOf(messages.find(({ role }) => role === 'user')?.content ?? '')
      made += 1
      if (told === 'go' && step === 0) yield calls(`look${made}`, 'look')
      else if (told === 'go' && step === 1) yield calls(`sub${made}`, 'Agent', { description: 'x', prompt: 'dig' })
      else if (told === 'dig' && step === 0) yield calls(`dig${made}`, 'look')
      else return yield* [says('done'), took(1000, 'stop')]
      yield took(1000, 'tool-calls')
    },
  }
}

const toldIn = (events: readonly RecordedEvent[]): number =>
  events.filter((event) => event.type === 'step.answered' && event.usage.inputTokens > 0).length

const KINDS = ['dieAfterWrites', 'dieBeforeWrite'] as const

describe('a process that dies', () => {
  it('at any write leaves every model call counted once, whether or not its write was stored', async () => {
    let deaths = 0
    for (const kind of KINDS) {
      for (let writes = 1; ; writes += 1) {
        const clock = createFakeClock()
        const store = createMemoryEventStore({ clock })
        const ids = createTestIds()
        const tools = [createFakeTool('look'), createAgentTool()]
        const options = { clock, ids, tools }
        const dying = createProcessStore(store)
        const first = createTestEngine({ ...options, store: dying, model: createWorker() })
        const access = { type: 'preset' } as const
        const created = { type: 'create-session', userId: first.user, agent: 'tester', access } as const
        const { sessionId } = await first.engine.execute({ ...created, preset: 'full-access' })
        dying[kind](writes)
        void useSession(first, sessionId).say('go', { settings: { keyId: 'key_1' } })
        await untilQuiet()
        const isDead = dying.isDead
        const second = createTestEngine({ ...options, store, model: createWorker() })
        await second.engine.start()
        await second.rest(sessionId)
        const events = await second.recorded(sessionId)
        const [sum] = await store.usage.sumUsage({ by: [], limit: 1 })
        const told = (sum?.calls ?? 0) - (sum?.untoldCalls ?? 0)
        expect({ kind, writes, told }).toEqual({ kind, writes, told: toldIn(events) })
        expect(sum?.inputTokens ?? 0).toBe(told * 1000)
        expect((await store.usage.spentWithKey('key_1', 0)).tokens).toBe(told * 1001)
        if (!isDead) break
        deaths += 1
      }
    }
    expect(deaths).toBeGreaterThan(15)
  })

  it('at any write leaves a budget that asks once, and continues when allowed', async () => {
    let deaths = 0
    for (const kind of KINDS) {
      for (let writes = 1; ; writes += 1) {
        const clock = createFakeClock()
        const store = createMemoryEventStore({ clock })
        const tools = [createFakeTool('look'), createAgentTool()]
        const budgets = { currency: 'USD', budgetsOf: () => ({ turn: { steps: 2 } }) }
        const options = { clock, ids: createTestIds(), tools, budgets }
        const dying = createProcessStore(store)
        const first = createTestEngine({ ...options, store: dying, model: createWorker() })
        const access = { type: 'preset' } as const
        const created = { type: 'create-session', userId: first.user, agent: 'tester', access } as const
        const { sessionId } = await first.engine.execute({ ...created, preset: 'full-access' })
        dying[kind](writes)
        void useSession(first, sessionId).say('go')
        await untilQuiet()
        const isDead = dying.isDead
        const engine = createTestEngine({ ...options, store, model: createWorker() })
        await engine.engine.start()
        const second = useSession(engine, sessionId)
        await second.untilRest()
        // The very first write is the input itself: if that was lost, nobody has asked for anything.
        const isAsked = (await second.types()).includes('turn.started')
        for (let asked = 0; isAsked && (await second.view()).status === 'waiting'; asked += 1) {
          const { waitingCalls } = await second.view()
          expect({ kind, writes, waiting: waitingCalls.length, isEndless: asked > 5 }).toEqual({
            ...{ kind, writes, waiting: 1, isEndless: false },
          })
          await second.answer(result(waitingCalls[0] ?? '', 'Go on'))
          await second.untilRest()
        }
        const events = await second.events()
        const questions = events.filter((event) => event.type === 'step.answered' && event.by === 'engine')
        const made = (await store.usage.sumUsage({ by: [], limit: 1 }))[0]?.calls ?? 0
        expect(events.at(-1)).toMatchObject(isAsked ? { outcome: 'finished' } : { type: 'session.created' })
        expect(questions).toHaveLength(isAsked ? Math.ceil(made / 2) - 1 : 0)
        if (!isDead) break
        deaths += 1
      }
    }
    expect(deaths).toBeGreaterThan(10)
  })
})

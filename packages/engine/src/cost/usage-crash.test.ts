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

describe('a process that dies', () => {
  it('at any write leaves every model call counted once, whether or not its write was stored', async () => {
    const kinds = ['dieAfterWrites', 'dieBeforeWrite'] as const
    let deaths = 0
    for (const kind of kinds) {
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
    expect(deaths).toBeGreaterThan(20)
  })
})

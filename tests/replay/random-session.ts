// Random sessions of the scripted model: texts, thinking, tools that answer, fail and ask, questions, sub-agents, compactions,
// failures, and people who answer, deny, interrupt and cancel.
import {
  asUserId,
  createEngine,
  type AgentDefinition,
  type EngineOptions,
  type Recorded,
  type SessionId,
  type Tool,
} from '@polylogue/engine'
import { createScriptedModel } from '@polylogue/models'
import {
  createFakeClock,
  createFakeTool,
  createMemoryEventStore,
  createTestIds,
  createAgentTool,
  createQuestionTool,
  plainParts,
  plainSecretBox,
  testDigest,
  untilQuiet,
  type MemoryEventStore,
} from '@polylogue/testkit'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { NEXT, call, script } from '../support/script.ts'

export interface RandomSession {
  readonly name: string
  readonly events: readonly Recorded[]
  readBlob(hash: string): Promise<Uint8Array | undefined>
}

type Random = ReturnType<typeof createSeededRandom>

const USER = asUserId('ann')
const LONG = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ')

export function createReplayTools(): readonly Tool[] {
  const echo = createFakeTool('echo', { run: ({ input }) => ({ content: JSON.stringify(input) }) })
  const boom = createFakeTool('boom', {
    run: () => {
      throw new Error('boom')
    },
  })
  const mark = createFakeTool('mark', { effect: 'unsafe' })
  return [echo, boom, mark, createAgentTool(), createQuestionTool()]
}

export function createReplayAgent(changes: Partial<AgentDefinition> = {}): AgentDefinition {
  return {
    name: 'tester',
    version: '1.0.0',
    instructions: 'Follow the script.',
    model: createScriptedModel({ clock: createFakeClock() }),
    modelName: 'polylogue/scripted',
    tools: createReplayTools(),
    options: [{ type: 'secret', name: 'apiKey', default: '' }],
    features: { histories: ['full'], streams: ['delta'], clientTools: true, images: [] },
    maxSteps: 10,
    ...changes,
  }
}

export const catalogOf = (agent: AgentDefinition): EngineOptions['agents'] => ({
  find: (name) => (name === agent.name ? agent : undefined),
  list: () => [agent],
})

export async function playRandomSession(seed: string): Promise<RandomSession> {
  const random = createSeededRandom(seed)
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  const engine = createEngine({
    ...plainParts,
    store,
    clock,
    agents: catalogOf(createReplayAgent({ model: createScriptedModel({ clock }) })),
    ids: createTestIds(),
    digest: testDigest,
    secretBox: plainSecretBox,
    recovery: 'continue',
    owner: seed,
    log: () => undefined,
  })
  const access = { type: 'preset' } as const
  const options = { apiKey: 'sk-very-secret' }
  const { sessionId } = await engine.execute({
    type: 'create-session',
    userId: USER,
    agent: 'tester',
    access,
    options,
    isRecorded: true,
  })
  for (let turn = 0; turn < 2 + random.int(3); turn += 1) {
    await engine.execute({
      type: 'start-turn',
      userId: USER,
      sessionId,
      content: randomScript(random, `${turn}`),
      whenRunning: 'queue',
    })
    await rest()
    for (let answers = 0; answers < 4; answers += 1) {
      clock.advance(1)
      const { status } = await engine.readSession(USER, sessionId)
      if (status === 'idle') break
      if (status === 'running') await cancel()
      else if (random.int(6) === 0) await cancel()
      else if (!(await answerAll())) break
      await rest()
    }
    clock.advance(5)
  }
  await engine.stop(0)
  return { name: seed, events: await readAll(store, sessionId), readBlob: readBlobOf(store, sessionId) }

  async function rest(): Promise<void> {
    for (let round = 0; round < 12; round += 1) await untilQuiet()
  }

  async function cancel(): Promise<void> {
    await engine.execute({ type: 'cancel-turn', userId: USER, sessionId, reason: 'enough', dropQueue: true })
  }

  async function answerAll(): Promise<boolean> {
    const waiting = await engine.readWaiting(USER, sessionId)
    const answers = waiting.map(({ toolCallId, waitsFor }) =>
      waitsFor === 'approval'
        ? ({ type: 'approval', toolCallId, granted: random.int(3) > 0 } as const)
        : ({ type: 'result', toolCallId, content: 'Blue' } as const),
    )
    // Sometimes the user sends another message instead.
    if (answers.length === 0 || random.int(5) === 0) return false
    await engine.execute({ type: 'answer-calls', userId: USER, sessionId, answers, whenRunning: 'accept' })
    return true
  }
}

function randomScript(random: Random, turn: string): string {
  const steps = Array.from({ length: 1 + random.int(3) }, (_, step) => randomStep(random, `${turn}_${step}`))
  return steps.join(`\n${NEXT}\n`)
}

function randomStep(random: Random, id: string): string {
  const question = { questions: [{ question: 'Which?', options: [{ label: 'Red' }, { label: 'Blue' }] }] }
  const prompt = script(call(`i${id}`, 'echo', { msg: 'inside' }), NEXT, 'say found')
  const lines = [
    () => `say ${LONG}`,
    () => script('think hm', 'say so'),
    () => call(`e${id}`, 'echo', { msg: id }),
    () => script(call(`e${id}`, 'echo', { msg: id }), call(`b${id}`, 'boom'), call(`n${id}`, 'nowhere')),
    () => call(`m${id}`, 'mark', {}),
    () => script(call(`m${id}`, 'mark', {}), call(`e${id}`, 'echo', {})),
    () => call(`q${id}`, 'Ask', question),
    () => call(`a${id}`, 'Agent', { description: 'Look', prompt }),
    () => script('say half', 'fail'),
    () => script('say cut', 'stop max_tokens'),
    () => script('overflow', 'say shorter'),
    () => script('say begun', 'sleep 60000'),
    () => call(`e0`, 'echo', { bad: true }),
  ]
  return (lines[random.int(lines.length)] as () => string)()
}

async function readAll(store: MemoryEventStore, sessionId: SessionId): Promise<readonly Recorded[]> {
  const events: Recorded[] = []
  for (;;) {
    const page = await store.readEvents(sessionId, events.length, 500)
    if (page.length === 0) return events
    events.push(...page)
  }
}

const readBlobOf = (store: MemoryEventStore, sessionId: SessionId) => async (hash: string) =>
  (await store.readBlob(sessionId, hash))?.bytes

import { fileURLToPath } from 'node:url'
import {
  type CreateSession,
  type Recorded,
  type RecordedEvent,
  type SessionId,
  type SessionView,
  asToolCallId,
  asUserId,
  createEngine,
} from '@polylogue/engine'
import {
  createFakeClock,
  createMemoryEventStore,
  createTestIds,
  plainParts,
  plainSecretBox,
  testDigest,
} from '@polylogue/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAgentCatalog } from '../agents/agent-catalog.ts'
import { loadConfig } from './load-config.ts'

const directory = fileURLToPath(new URL('../../../../examples/own-agent', import.meta.url))
const userId = asUserId('ann')

async function startEngine() {
  const clock = createFakeClock()
  const agents = createAgentCatalog(await loadConfig({ directory }), { scripted: false, clock })
  const engine = createEngine({
    store: createMemoryEventStore({ clock }),
    agents,
    clock,
    ids: createTestIds(),
    digest: testDigest,
    secretBox: plainSecretBox,
    ...plainParts,
    recovery: 'continue',
    owner: 'test',
    log: ({ message, error }) => {
      throw new Error(message, { cause: error })
    },
  })
  await engine.start()
  const events: RecordedEvent[] = []

  /** Lets time pass until the session waits for somebody, then tells what it is. */
  const settle = async (sessionId: SessionId): Promise<SessionView> => {
    for (;;) {
      const session = await engine.readSession(userId, sessionId)
      if (session.status !== 'running') return session
      clock.advance(20)
      await new Promise(setImmediate)
    }
  }

  /** Starts a session with one message and follows it until it rests. */
  const begin = async (
    more: Pick<CreateSession, 'agent' | 'access' | 'options'>,
    input: string,
  ): Promise<SessionView> => {
    const { sessionId } = await engine.execute({ type: 'create-session', userId, ...more, input })
    const recorded = ({ event }: Recorded): void => void events.push(event)
    await engine.attach(userId, sessionId, {
      after: { seq: 0 },
      reader: { recorded, delta: () => undefined, closed: () => undefined },
    })
    return settle(sessionId)
  }

  const said = (): string =>
    events
      .flatMap((event) => (event.type === 'step.answered' ? event.blocks : []))
      .flatMap((block) => (block.type === 'text' ? [block.text] : []))
      .join('\n')

  return { engine, agents, begin, settle, said, events }
}

let test: Awaited<ReturnType<typeof startEngine>>
beforeEach(async () => {
  test = await startEngine()
})
afterEach(() => test.engine.stop(0))

describe('the example of an agent of one’s own', () => {
  it('serves its two agents, the one of the configuration file by default', () => {
    expect(test.agents.list().map(({ name, title, modelName }) => [name, title, modelName])).toEqual([
      ['librarian', 'Librarian', 'polylogue/demo'],
      ['helper', 'Helper', 'polylogue/scripted'],
    ])
    expect(test.agents.defaultName).toBe('librarian')
    expect(test.agents.find('librarian')?.tools.map(({ name, effect }) => [name, effect])).toEqual([
      ['find_books', 'readonly'],
      ['lend_book', 'unsafe'],
    ])
    expect(test.agents.find('helper')?.instructions).toMatch(/^You help readers/)
  })

  it('the helper finds a book with the tool it named in its front matter', async () => {
    const access = { type: 'listed', tools: [{ name: 'find_books', trust: true }] } as const
    const session = await test.begin({ agent: 'helper', access }, 'call c1 find_books {"word": "melville"}')
    expect(session).toMatchObject({ status: 'idle', lastOutcome: 'finished' })
    expect(test.said()).toBe(
      'RESULTS 1: [{"id":"moby-dick","title":"Moby-Dick","author":"Herman Melville","isLent":false}]',
    )
  })

  it('the helper reads in words what was wrong with a call', async () => {
    const access = { type: 'listed', tools: [{ name: 'find_books', trust: true }] } as const
    await test.begin({ agent: 'helper', access }, 'call c1 find_books {"word": ""}')
    expect(test.said()).toMatch(/^RESULTS 1: .*word: must not be empty/)
  })

  it('the helper is given its option, and the value that a client set', async () => {
    await test.begin({ agent: 'helper', access: { type: 'preset' } }, 'show options')
    await test.begin({ agent: 'helper', access: { type: 'preset' }, options: { language: 'Danish' } }, 'show options')
    expect(test.said()).toBe('{"language":"English"}\n{"language":"Danish"}')
  })

  it('the librarian searches immediately, and lends a book only after approval', async () => {
    const access = { type: 'preset' } as const
    await test.begin({ agent: 'librarian', access }, 'use find_books {"word": "emma"}')
    expect(test.said()).toContain('`find_books` answered: [{"id":"emma"')

    const session = await test.begin({ agent: 'librarian', access }, 'use lend_book {"id": "moby-dick"}')
    expect(session.status).toBe('waiting')
    expect(test.events.filter(({ type }) => type === 'approval.requested')).toHaveLength(1)
    expect(test.said()).not.toContain('is yours')

    const [toolCallId = asToolCallId('')] = session.waitingCalls
    const answers = [{ type: 'approval', toolCallId, granted: true }] as const
    const { sessionId } = session
    await test.engine.execute({ type: 'answer-calls', userId, sessionId, answers, whenRunning: 'refuse' })
    expect((await test.settle(sessionId)).lastOutcome).toBe('finished')
    expect(test.said()).toContain('`lend_book` answered: Moby-Dick is yours for four weeks.')
  })
})

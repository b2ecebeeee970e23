import {
  asToolCallId,
  type AdmittedTurn,
  type CallAnswer,
  type CreateSession,
  type RecordedEvent,
  type SessionId,
  type SessionView,
  type StartTurn,
  type ToolCallId,
} from '@polylogue/engine'
import { createTestEngine, type TestEngine, type TestEngineOptions } from './create-test-engine.ts'

/** An engine with one session, and the most common commands of tests. */
export interface TestSession extends TestEngine {
  readonly sessionId: SessionId
  say(content: string, more?: Partial<StartTurn>): Promise<AdmittedTurn>
  answer(...answers: CallAnswer[]): Promise<AdmittedTurn>
  cancel(dropQueue?: boolean): Promise<{ readonly cancelled: boolean }>
  view(): Promise<SessionView>
  events(): Promise<readonly RecordedEvent[]>
  types(): Promise<readonly string[]>
  untilRest(): Promise<void>
}

export const grant = (id: string): CallAnswer => ({ type: 'approval', toolCallId: asToolCallId(id), granted: true })
export const deny = (id: string, reason?: string): CallAnswer => ({
  type: 'approval',
  toolCallId: asToolCallId(id),
  granted: false,
  ...(reason !== undefined && { reason }),
})
export const result = (id: string, content: string): CallAnswer => ({
  type: 'result',
  toolCallId: asToolCallId(id),
  content,
})

/** A new engine with a new session that trusts every exposed tool, unless `create` says otherwise. */
export async function startSession(
  options: TestEngineOptions = {},
  create: Partial<CreateSession> = {},
): Promise<TestSession> {
  const test = createTestEngine(options)
  const tools = (options.tools ?? []).filter((tool) => tool.exposed).map(({ name }) => ({ name, trust: true }))
  const { sessionId } = await test.engine.execute({
    type: 'create-session',
    userId: test.user,
    agent: 'tester',
    access: { type: 'listed', tools },
    ...create,
  })
  return useSession(test, sessionId)
}

/** An existing session, perhaps created by an engine that is now dead. */
export function useSession(test: TestEngine, sessionId: SessionId): TestSession {
  const { engine, user: userId } = test
  return {
    ...test,
    sessionId,
    say: (content, more) =>
      engine.execute({ type: 'start-turn', userId, sessionId, content, whenRunning: 'refuse', ...more }),
    answer: (...answers) => engine.execute({ type: 'answer-calls', userId, sessionId, answers, whenRunning: 'refuse' }),
    cancel: (dropQueue = false) =>
      engine.execute({ type: 'cancel-turn', userId, sessionId, reason: 'user', dropQueue }),
    view: () => engine.readSession(userId, sessionId),
    events: () => test.recorded(sessionId),
    types: async () => (await test.recorded(sessionId)).map((event) => event.type),
    untilRest: () => test.rest(sessionId),
  }
}

/**
 * A second engine on the same store, started as after a crash of the first. The first one is not stopped: it is a
 * zombie and must notice that it is fenced off.
 */
export async function restart(first: TestSession, options: TestEngineOptions = {}): Promise<TestSession> {
  const next = createTestEngine({ store: first.store, clock: first.clock, ...options })
  await next.engine.start()
  return useSession(next, first.sessionId)
}

/** The ids of settled calls in a list of events, with their status. */
export function settledCalls(events: readonly RecordedEvent[]): readonly (readonly [ToolCallId, string])[] {
  return events.flatMap((event) =>
    event.type === 'tool-call.settled' ? [[event.toolCallId, event.status] as const] : [],
  )
}

import {
  calls,
  createFakeTool,
  finishes,
  startSession,
  type FakeToolOptions,
  type TestEngineOptions,
  type TestSession,
} from '@polylogue/testkit'
import { textOf, type CreateSession, type RecordedEvent, type SessionChanges, type Tool } from '../../index.ts'

const WORKSPACE_WRITE: Partial<CreateSession> = { access: { type: 'preset' }, preset: 'workspace-write' }

export async function startWith(tools: readonly Tool[], options: TestEngineOptions = {}, create = WORKSPACE_WRITE) {
  const test = await startSession({ ...options, tools }, create)
  const configure = (changes: SessionChanges) =>
    test.engine.execute({ type: 'configure-session', userId: test.user, sessionId: test.sessionId, changes })
  return { ...test, configure }
}

export const pay = (more: FakeToolOptions = {}) => createFakeTool('pay', { effect: 'unsafe', ...more })

export const paying = (id: string, input: object = {}) => [calls(id, 'pay', input), finishes('tool-calls')]

export const settled = (events: readonly RecordedEvent[]) =>
  events.flatMap((event) =>
    event.type === 'tool-call.settled' ? [`${event.toolCallId} ${event.status}: ${textOf(event.output)}`] : [],
  )

export const asked = async (test: TestSession) =>
  (await test.events()).flatMap((event) => (event.type === 'approval.requested' ? [event] : []))

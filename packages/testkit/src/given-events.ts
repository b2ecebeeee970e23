import {
  ROOT_LOOP,
  asEntryId,
  asSessionId,
  asToolCallId,
  asTurnId,
  asUserId,
  createSettings,
  evolve,
  type AgentDefinition,
  type CallRoute,
  type EventOf,
  type JsonObject,
  type Judging,
  type NewSettings,
  type Recorded,
  type RecordedEvent,
  type SessionState,
  type SettingsChange,
  type StepBlock,
  type ToolCallPart,
} from '@polylogue/engine'
import { plainParts } from './plain-parts.ts'
import { createFakeModel } from './fake-model.ts'
import { testDigest } from './test-digest.ts'
import { createTestIds } from './test-ids.ts'

/** Short forms of events for the setup of a test: one session, with turns and steps by id. */
export const given = {
  created: ({
    agent = 'tester',
    ...settings
  }: Partial<NewSettings & Pick<EventOf<'session.created'>, 'agent'>> = {}) => ({
    type: 'session.created' as const,
    sessionId: asSessionId('00000000-0000-7000-8000-000000000001'),
    userId: asUserId('ann'),
    agent,
    settings: createSettings({ access: { type: 'preset' }, ...settings }),
  }),
  configured: (settings: SettingsChange): RecordedEvent => ({ type: 'session.configured', settings }),
  admitted: (inputId: string, turnId: string, content = 'hi'): RecordedEvent => ({
    type: 'input.admitted',
    inputId: asEntryId(inputId),
    turnId: asTurnId(turnId),
    content,
  }),
  turnStarted: (turnId: string, inputId: string, recovery: 'continue' | 'interrupt' = 'continue'): RecordedEvent => ({
    type: 'turn.started',
    turnId: asTurnId(turnId),
    inputId: asEntryId(inputId),
    recovery,
  }),
  paused: (turnId: string): RecordedEvent => ({ type: 'turn.paused', turnId: asTurnId(turnId) }),
  resumed: (turnId: string): RecordedEvent => ({ type: 'turn.resumed', turnId: asTurnId(turnId) }),
  cancelRequested: (turnId: string): RecordedEvent => ({
    type: 'turn.cancel-requested',
    turnId: asTurnId(turnId),
    reason: 'user',
  }),
  takenOver: (turnId: string, count: number): RecordedEvent => ({
    type: 'turn.taken-over',
    turnId: asTurnId(turnId),
    count,
  }),
  turnEnded: (turnId: string, outcome: EventOf<'turn.ended'>['outcome'] = 'finished'): RecordedEvent => ({
    type: 'turn.ended',
    turnId: asTurnId(turnId),
    outcome,
  }),
  stepStarted: (turnId: string, stepId: string): RecordedEvent => ({
    type: 'step.started',
    turnId: asTurnId(turnId),
    stepId: asEntryId(stepId),
    loopId: ROOT_LOOP,
    model: 'fake/model',
  }),
  /** Calls of tools named `client…` go to the client, all others to the server. */
  answered: (turnId: string, stepId: string, ...blocks: StepBlock[]): RecordedEvent => ({
    type: 'step.answered',
    turnId: asTurnId(turnId),
    stepId: asEntryId(stepId),
    blocks,
    routes: Object.fromEntries(
      blocks.flatMap((block): [string, CallRoute][] =>
        block.type === 'tool-call' ? [[block.toolCallId, block.name.startsWith('client') ? 'client' : 'server']] : [],
      ),
    ),
    finish: blocks.some((block) => block.type === 'tool-call') ? 'tool-calls' : 'stop',
    usage: { inputTokens: 1, outputTokens: 1 },
  }),
  stepEnded: (
    turnId: string,
    stepId: string,
    { outcome = 'completed', partial = [] }: Partial<Pick<EventOf<'step.ended'>, 'outcome' | 'partial'>> = {},
  ): RecordedEvent => ({
    type: 'step.ended',
    turnId: asTurnId(turnId),
    stepId: asEntryId(stepId),
    outcome,
    ...(partial.length > 0 && { partial }),
  }),
  approvalRequested: (turnId: string, id: string): RecordedEvent => ({
    type: 'approval.requested',
    turnId: asTurnId(turnId),
    toolCallId: asToolCallId(id),
    callHash: 'hash',
  }),
  approvalResolved: (turnId: string, id: string, granted: boolean): RecordedEvent => ({
    type: 'approval.resolved',
    turnId: asTurnId(turnId),
    toolCallId: asToolCallId(id),
    granted,
  }),
  callStarted: (turnId: string, id: string, attempt = 1): RecordedEvent => ({
    type: 'tool-call.started',
    turnId: asTurnId(turnId),
    toolCallId: asToolCallId(id),
    attempt,
    callHash: 'hash',
  }),
  callSettled: (
    turnId: string,
    id: string,
    { status = 'completed', output = 'ran' }: Partial<Pick<EventOf<'tool-call.settled'>, 'status' | 'output'>> = {},
  ): RecordedEvent => ({
    type: 'tool-call.settled',
    turnId: asTurnId(turnId),
    toolCallId: asToolCallId(id),
    status,
    output,
    by: 'tool',
  }),
  call: (id: string, name: string, input: JsonObject = {}): ToolCallPart => ({
    type: 'tool-call',
    toolCallId: asToolCallId(id),
    name,
    input,
  }),
  text: (text: string): StepBlock => ({ type: 'text', text }),
}

/** The rows of the log, one millisecond apart. */
export const asRecorded = (events: readonly RecordedEvent[]): readonly Recorded[] =>
  events.map((event, index) => ({ seq: index + 1, at: index + 1, event }))

export function foldEvents(events: readonly RecordedEvent[]): SessionState {
  let state: SessionState | undefined
  for (const recorded of asRecorded(events)) state = evolve(state, recorded)
  if (state === undefined) throw new Error('a log has at least one event')
  return state
}

/** The context of decisions besides the state. */
export function createDecideContext(agent: Partial<AgentDefinition> = {}) {
  return {
    agent: createTestAgent(agent),
    ids: createTestIds(),
    digest: testDigest,
    recovery: 'continue',
    isKnownModel: () => false,
  } as const
}

/** The data for judging calls of an agent's own loop. */
export function createJudging(agent: Partial<AgentDefinition> = {}): Judging {
  const own = createTestAgent(agent)
  return {
    line: [own],
    userRules: [],
    operator: plainParts.operator,
    workspace: { cwd: '/nowhere', roots: [] },
    inspections: new Map(),
    problems: new Map(),
    agents: { find: (name) => (name === own.name ? own : undefined), list: () => [own] },
    digest: testDigest,
  }
}

export function createTestAgent(more: Partial<AgentDefinition> = {}): AgentDefinition {
  return {
    name: 'tester',
    version: '1.0.0',
    instructions: 'Test.',
    model: createFakeModel(),
    modelName: 'fake/model',
    tools: [],
    options: [],
    features: {
      histories: ['compacted', 'full'],
      streams: ['delta', 'message', 'none'],
      clientTools: true,
      images: ['http', 'data'],
    },
    maxSteps: 10,
    ...more,
  }
}

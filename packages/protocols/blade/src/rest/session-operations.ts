import type { AgentDefinition, CreateSession, SessionChanges, UserId } from '@polylogue/engine'
import { z } from 'zod'
import type { BladeRestDeps } from './deps.ts'
import { deleteSession } from './delete-session.ts'
import { PERSISTENT_LABEL, toSessionDetail } from './encode-session.ts'
import { text } from '../schema/fields.ts'
import { listSessionsOperation } from './list-sessions.ts'
import { operation, type Operation } from './operation.ts'
import { Refusal } from './refusal.ts'
import { sessionDetailSchema } from '../schema/session.ts'
import type { SessionDetail } from '../wire.ts'
import { requireOwner, sessionIdIn } from './session-access.ts'

const tag = 'Sessions'

/** What the session is about: a title or the whole task. */
const intent = text(0, 20_000)
const model = z.string().min(1).max(200).optional()
const thinking = z
  .string()
  .max(20)
  .optional()
  .describe('A level of the model, or `default`. A level that the model does not have is ignored')
const newSession = z.object({
  intent: intent.default(''),
  solution_id: z.string().max(200).optional(),
  biz_role_id: z.string().max(200).optional(),
  model: z.string().max(200).optional(),
  thinking,
  memory_enabled: z.boolean().optional(),
  is_persistent: z.boolean().default(false),
  disable_tools: z.array(z.string().max(200)).max(1_000).optional(),
  env: z.record(z.string(), z.string()).optional(),
})

type Deps = Pick<BladeRestDeps, 'engine' | 'agents' | 'clock'>

export function sessionOperations(deps: Deps): readonly Operation[] {
  return [createSession(deps), listSessionsOperation(deps), ...oneSessionOperations(deps), ...switchOperations(deps)]
}

function createSession({ engine, agents }: Deps): Operation {
  return operation({
    method: 'POST',
    path: '/api/sessions',
    name: 'createSession',
    tag,
    summary: 'Create a session',
    body: newSession,
    answer: z.object({ session_id: z.string() }),
    refusals: { 422: 'unknown solution, role or model', 501: '`env` is not supported' },
    async run({ caller, body }) {
      if (Object.keys(body.env ?? {}).length > 0)
        throw new Refusal(501, 'env: this server does not support variables of a session.')
      const agent = agents.find(body.solution_id ?? agents.defaultName)
      if (agent === undefined) throw new Refusal(422, 'solution_id: unknown solution')
      const { sessionId } = await engine.execute(toCreateSession(caller.userId, agent, body))
      return { session_id: sessionId }
    },
  })
}

function toCreateSession(userId: UserId, agent: AgentDefinition, body: z.output<typeof newSession>): CreateSession {
  return {
    type: 'create-session',
    userId,
    agent: agent.name,
    access: { type: 'preset' },
    ...(body.intent !== '' && { title: body.intent }),
    ...(body.biz_role_id !== undefined && { role: body.biz_role_id }),
    // The agent's own model may be one that users cannot choose.
    ...(body.model !== undefined && body.model !== agent.modelName && { model: body.model }),
    ...(body.thinking !== undefined && { thinking: toLevel(body.thinking) }),
    ...(body.memory_enabled !== undefined && { recallsMemories: body.memory_enabled }),
    ...(body.disable_tools && { disabledTools: body.disable_tools }),
    ...(body.is_persistent && { labels: { [PERSISTENT_LABEL]: 'true' } }),
  }
}

/** The engine has no word for the default. */
const toLevel = (thinking: string): string => (thinking === 'default' ? '' : thinking)

function oneSessionOperations({ engine, agents, clock }: Deps): readonly Operation[] {
  return [
    operation({
      method: 'GET',
      path: '/api/sessions/{sid}',
      name: 'getSession',
      tag,
      summary: 'Get a session, also one that is shared with you',
      answer: sessionDetailSchema,
      async run({ caller: { userId }, param }) {
        const view = await engine.readSession(userId, sessionIdIn(param('sid')), 'guest')
        return toSessionDetail(view, userId, agents)
      },
    }),
    operation({
      method: 'PATCH',
      path: '/api/sessions/{sid}',
      name: 'changeSession',
      tag,
      summary: 'Rename a session, or change its model and how much the model thinks, from the next turn on',
      body: z.object({ intent: intent.optional(), model, thinking }),
      answer: sessionDetailSchema,
      refusals: { 403: 'the session is shared with you as read-only', 422: 'unknown model' },
      run: ({ caller, param, body }) =>
        change(
          { engine, agents },
          { userId: caller.userId, sid: param('sid') },
          {
            ...(body.intent !== undefined && { title: body.intent }),
            ...(body.model !== undefined && { model: body.model }),
            ...(body.thinking !== undefined && { thinking: toLevel(body.thinking) }),
          },
        ),
    }),
    operation({
      method: 'DELETE',
      path: '/api/sessions/{sid}',
      name: 'deleteSession',
      tag,
      summary: 'Delete a session. A running turn is stopped first.',
      answer: z.object({ deleted: z.literal(true) }),
      refusals: { 403: 'the session is shared with you as read-only' },
      async run({ caller: { userId }, param }) {
        const view = await requireOwner(engine, userId, sessionIdIn(param('sid')))
        await deleteSession({ engine, clock }, userId, view)
        return { deleted: true as const }
      },
    }),
  ]
}

function switchOperations({ engine, agents }: Deps): readonly Operation[] {
  const refusals = { 403: 'the session is shared with you as read-only' }
  return [
    operation({
      method: 'PATCH',
      path: '/api/sessions/{sid}/pin',
      name: 'pinSession',
      tag,
      summary: 'Pin a session to the top of the list, or unpin it',
      body: z.object({ pinned: z.boolean() }),
      answer: sessionDetailSchema,
      refusals,
      run: ({ caller, param, body: { pinned } }) =>
        change({ engine, agents }, { userId: caller.userId, sid: param('sid') }, { isPinned: pinned }),
    }),
    operation({
      method: 'PATCH',
      path: '/api/sessions/{sid}/memory',
      name: 'switchSessionMemory',
      tag,
      summary: 'Set whether the agent recalls memories',
      body: z.object({ memory_enabled: z.boolean() }),
      answer: z.object({ memory_enabled: z.boolean() }),
      refusals,
      async run({ caller, param, body }) {
        const changes = { recallsMemories: body.memory_enabled }
        const { memory_enabled } = await change(
          { engine, agents },
          { userId: caller.userId, sid: param('sid') },
          changes,
        )
        return { memory_enabled }
      },
    }),
    operation({
      method: 'PATCH',
      path: '/api/sessions/{sid}/sharing',
      name: 'shareSession',
      tag,
      summary: 'Share a session with all users of this server as read-only, or stop sharing',
      body: z.object({ shared: z.boolean() }),
      answer: z.object({ shared: z.boolean() }),
      refusals,
      async run({ caller, param, body }) {
        const changes = { isShared: body.shared }
        const { shared } = await change({ engine, agents }, { userId: caller.userId, sid: param('sid') }, changes)
        return { shared }
      },
    }),
  ]
}

async function change(
  { engine, agents }: Pick<Deps, 'engine' | 'agents'>,
  { userId, sid }: { readonly userId: UserId; readonly sid: string },
  changes: SessionChanges,
): Promise<SessionDetail> {
  const { sessionId } = await requireOwner(engine, userId, sessionIdIn(sid))
  await engine.execute({ type: 'configure-session', userId, sessionId, changes })
  return toSessionDetail(await engine.readSession(userId, sessionId), userId, agents)
}

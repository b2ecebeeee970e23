import { z } from 'zod'
import type { BladeRestDeps } from './deps.ts'
import { toSolution } from './encode-session.ts'
import { time, toTime } from '../schema/fields.ts'
import { openOperation, operation, type Operation } from './operation.ts'
import { Refusal } from './refusal.ts'
import { roleSchema, solutionSchema } from '../schema/session.ts'

/** All versions of clients are accepted. */
const OLDEST_CLIENT = '0.0.0'

type Deps = Pick<BladeRestDeps, 'agents' | 'models' | 'keys' | 'clock' | 'version'>

/** The server, its agents and models, and the calling user. */
export function serverOperations(deps: Deps): readonly Operation[] {
  return [...openOperations(deps), currentUser(deps), listModels(deps), ...agentOperations(deps)]
}

function openOperations({ version }: Deps): readonly Operation[] {
  return [
    openOperation({
      method: 'GET',
      path: '/api/version',
      name: 'getVersion',
      tag: 'Server',
      summary: 'Get the version of this server',
      answer: z.object({ version: z.string(), min_sdk: z.string() }),
      run: () => ({ version, min_sdk: OLDEST_CLIENT }),
    }),
    openOperation({
      method: 'GET',
      path: '/api/health',
      name: 'getHealth',
      tag: 'Server',
      summary: 'Check that the server answers',
      answer: z.object({ status: z.literal('ok') }),
      run: () => ({ status: 'ok' as const }),
    }),
  ]
}

function currentUser({ keys, clock }: Deps): Operation {
  return operation({
    method: 'GET',
    path: '/api/auth/me',
    name: 'getCurrentUser',
    tag: 'Server',
    summary: 'Get the calling user',
    answer: z.object({ id: z.string(), username: z.string(), avatar_url: z.null(), created_at: time }),
    async run({ caller: { userId } }) {
      // A user exists from its first key.
      const made = (await keys.list(userId)).map(({ createdAt }) => createdAt)
      const createdAt = made.length === 0 ? clock.now() : Math.min(...made)
      return { id: userId, username: userId, avatar_url: null, created_at: toTime(createdAt) }
    },
  })
}

function listModels({ agents, models }: Deps): Operation {
  return operation({
    method: 'GET',
    path: '/api/config/models',
    name: 'listModels',
    tag: 'Server',
    summary: 'List the models that a session can use',
    answer: z.object({
      default: z.string(),
      models: z.array(
        z
          .object({
            id: z.string(),
            name: z.string(),
            thinking: z.array(z.string()).describe('How much it can be told to think, the least first'),
          })
          .meta({ id: 'Model' }),
      ),
    }),
    async run() {
      const own = agents.find(agents.defaultName)?.modelName ?? ''
      const offered = models
        .list()
        .map(({ name, title, thinkingLevels = [] }) => ({ id: name, name: title, thinking: [...thinkingLevels] }))
      const isOffered = offered.some(({ id }) => id === own)
      return { default: own, models: isOffered ? offered : [{ id: own, name: own, thinking: [] }, ...offered] }
    },
  })
}

function agentOperations({ agents }: Deps): readonly Operation[] {
  return [
    operation({
      method: 'GET',
      path: '/api/solutions',
      name: 'listSolutions',
      tag: 'Solutions',
      summary: 'List the agents of this server',
      answer: z.object({ items: z.array(solutionSchema) }),
      run: async () => ({ items: agents.list().map(toSolution) }),
    }),
    operation({
      method: 'GET',
      path: '/api/solutions/{id}/biz-roles',
      name: 'listBizRoles',
      tag: 'Solutions',
      summary: 'List the roles of an agent',
      query: z.object({ user_id: z.string().optional() }),
      answer: z.object({ solution_id: z.string(), user_id: z.string(), items: z.array(roleSchema) }),
      refusals: { 403: 'the request names another user' },
      async run({ caller: { userId }, param, query }) {
        const agent = agents.find(param('id'))
        if (agent === undefined) throw new Refusal(404, 'There is no such solution.')
        if (query.user_id !== undefined && query.user_id !== userId) {
          throw new Refusal(403, 'You can only list your own roles.')
        }
        return { solution_id: agent.name, user_id: userId, items: toSolution(agent).roles }
      },
    }),
  ]
}

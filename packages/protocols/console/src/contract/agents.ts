import { z } from 'zod'
import { count } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'

const option = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  type: z.enum(['text', 'secret', 'select']),
  default: z.string(),
  /** Of a `select`. */
  choices: z.array(z.string()).optional(),
})

/** What becomes of the calls of a tool by your rules, by their kind: each verdict once, the mildest first. */
const verdicts = z.array(z.enum(['allow', 'ask', 'deny', 'disabled']))

const agentTool = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  effect: z.enum(['readonly', 'idempotent', 'unsafe']),
  verdicts: z.object({
    'read-only': verdicts,
    plan: verdicts,
    'workspace-write': verdicts,
    'full-access': verdicts,
  }),
})

const agent = z
  .object({
    name: z.string(),
    title: z.string().optional(),
    description: z.string().optional(),
    version: z.string(),
    model: z.string(),
    isDefault: z.boolean(),
    options: z.array(option),
    tools: z.array(agentTool),
  })
  .meta({ id: 'ConsoleAgent' })
export type AgentCard = Sent<z.infer<typeof agent>>

const limits = {
  tokens: count.optional(),
  /** In the currency of the answer. */
  money: z.number().optional(),
  steps: count.optional(),
  whenSpent: z.enum(['ask', 'stop']).optional(),
}

const budgets = z
  .object({
    agent: z.string(),
    turn: z.object({ ...limits, wallTimeMs: z.number().optional() }).optional(),
    session: z.object(limits).optional(),
    /** For your key, per day or month in UTC. */
    key: z.object({ ...limits, per: z.enum(['day', 'month']) }).optional(),
  })
  .meta({ id: 'ConsoleBudgets' })
export type AgentBudgets = Sent<z.infer<typeof budgets>>

const tag = 'agents'

export const agentOperations = defineOperations({
  listAgents: {
    method: 'GET',
    path: '/agents',
    tag,
    summary: 'List the agents with their options and tools, and what each preset decides about the calls.',
    status: 200,
    answer: z.object({ agents: z.array(agent) }),
  },
  listBudgets: {
    method: 'GET',
    path: '/budgets',
    tag,
    summary: 'List the budgets of each agent, as they apply to your key. An absent limit does not apply.',
    status: 200,
    answer: z.object({ currency: z.string(), budgets: z.array(budgets) }),
  },
})

import type { AgentFeatures, AgentOption, AgentRole, Budgets, Model, Tool } from '@polylogue/engine'
import { z } from 'zod'
import { agentBudgetsSchema } from '../usage/cost-schema.ts'
import type { ModelName } from './define-agent.ts'

/** A checked agent of the configuration. Its tools may still be names. */
export interface AgentSettings {
  readonly name: string
  readonly title?: string
  readonly version: string
  readonly description?: string
  readonly instructions: string
  readonly model?: ModelName | Model
  readonly modelName?: string
  readonly tools: readonly (Tool | string)[]
  readonly options: readonly AgentOption[]
  readonly features: AgentFeatures
  readonly maxSteps?: number
  /** Agents that it may start as sub-agents. */
  readonly subAgents: readonly string[]
  /** The MCP servers whose tools it has. Absent: all. */
  readonly mcpServers?: readonly string[]
  /** How long it may run as a sub-agent. */
  readonly deadlineMs?: number
  /** The context window of its model in tokens. */
  readonly contextWindow?: number
  /** Budgets that replace those of the server. */
  readonly budgets?: Pick<Budgets, 'turn' | 'session'>
  /** The working directory of all its sessions, as in the configuration. */
  readonly workspace?: string
  /** The roles of its sessions. */
  readonly roles?: readonly AgentRole[]
}

const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const OPTION_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/
const SEMANTIC_VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/

export const agentName = z
  .string()
  .regex(AGENT_NAME, 'must be 1 to 64 letters, digits, ".", "_" or "-", beginning with a letter or digit')

const tool = z.custom<Tool>(isTool, { error: 'must be made with defineTool' })
export const modelChoice = z.custom<ModelName>(isModelName, { error: 'must be provider/model, demo or scripted' })
const model = z.custom<ModelName | Model>((value) => isModelName(value) || isModel(value), {
  error: 'must be provider/model, demo, scripted, or an object with a method stream',
})

const described = {
  name: z
    .string()
    .regex(OPTION_NAME, 'must be 1 to 64 letters, digits, "_", "." or "-", beginning with a letter')
    // Options are looked up in plain objects, which inherit these names.
    .refine((name) => !(name in Object.prototype), 'is a reserved name'),
  title: z.string().optional(),
  description: z.string().optional(),
}

const option = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text'), ...described, default: z.string().default('') }),
    z.strictObject({
      type: z.literal('secret'),
      ...described,
      default: z.literal('', 'must be left out: every client can read the default of an option').default(''),
    }),
    z
      .strictObject({
        type: z.literal('select'),
        ...described,
        choices: z.array(z.string()).min(1, 'must not be empty').refine(isDistinct, 'has a choice twice'),
        default: z.string().optional(),
      })
      .superRefine(({ choices, default: chosen }, context) => {
        if (chosen === undefined || choices.includes(chosen)) return
        context.addIssue({ code: 'custom', path: ['default'], message: `must be one of ${choices.join(', ')}` })
      }),
  ])
  .transform((written): AgentOption =>
    written.type === 'select' ? { ...written, default: written.default ?? written.choices[0] ?? '' } : written,
  )

const features = z.strictObject({
  histories: z.array(z.enum(['compacted', 'full'])).default(['compacted', 'full']),
  streams: z
    .array(z.enum(['delta', 'message', 'none']))
    .min(1, 'must not be empty')
    .default(['delta', 'message', 'none']),
  clientTools: z.boolean().default(true),
  images: z.array(z.enum(['http', 'data'])).default([]),
}) satisfies z.ZodType<AgentFeatures>

const role = z.strictObject({
  id: z.string().regex(AGENT_NAME, 'must be 1 to 64 letters, digits, ".", "_" or "-"'),
  name: z.string().min(1).max(200),
  description: z.string().optional(),
  instructions: z.string().min(1),
  isPlanning: z.boolean().optional(),
  tools: z.array(z.string()).optional(),
  firstMessage: z.string().optional(),
}) satisfies z.ZodType<AgentRole>

function refuseRepeatedIds(roles: readonly { readonly id: string }[], context: z.core.$RefinementCtx<unknown>): void {
  const seen = new Set<string>()
  for (const [index, { id }] of roles.entries()) {
    if (seen.has(id)) context.addIssue({ code: 'custom', path: [index, 'id'], message: `${id} occurs twice` })
    seen.add(id)
  }
}

const settings = {
  title: z.string().optional(),
  version: z.string().regex(SEMANTIC_VERSION, 'must be a semantic version such as 1.0.0').default('1.0.0'),
  description: z.string().optional(),
  options: z.array(option).superRefine(refuseRepeatedNames).default([]),
  features: features.prefault({}),
  maxSteps: z.int().min(1).max(10_000).optional(),
  subAgents: z.array(agentName).refine(isDistinct, 'has a name twice').default([]),
  mcpServers: z.array(z.string().min(1).max(128)).refine(isDistinct, 'has a name twice').optional(),
  deadlineMs: z.int().min(1_000).max(86_400_000).optional(),
  contextWindow: z.int().min(500).max(100_000_000).optional(),
  budgets: agentBudgetsSchema.optional(),
  workspace: z.string().min(1).max(4096).optional(),
  roles: z.array(role).max(100).superRefine(refuseRepeatedIds).optional(),
}

/** An agent in a configuration file. */
export const agentSchema = z.strictObject({
  name: agentName,
  instructions: z.string(),
  model: model.optional(),
  modelName: z.string().min(1).optional(),
  tools: z.array(z.union([tool, z.string()], 'must be made with defineTool, or be the name of a tool')).default([]),
  ...settings,
}) satisfies z.ZodType<AgentSettings>

/** The front matter of an agent in Markdown. The file name is the agent's name, the body its instructions. */
export const frontMatterSchema = z.strictObject({
  model: modelChoice.optional(),
  tools: z.array(z.string()).default([]),
  ...settings,
})

export const toolsSchema = z.array(tool).superRefine(refuseRepeatedNames)

function isModelName(value: unknown): value is ModelName {
  return typeof value === 'string' && /^(demo|scripted|[^/\s][^/]*\/\s*\S.*)$/.test(value)
}

function isModel(value: unknown): value is Model {
  return typeof value === 'object' && value !== null && 'stream' in value && typeof value.stream === 'function'
}

/** Checks the shape, not the class: a configuration may load a second copy of the package. */
function isTool(value: unknown): value is Tool {
  return toolShape.safeParse(value).success
}

const toolShape = z.object({
  name: z.string().min(1),
  description: z.string(),
  parameters: z.looseObject({ type: z.literal('object') }),
  effect: z.enum(['readonly', 'idempotent', 'unsafe']),
  exposed: z.boolean(),
  check: z.function(),
  inspect: z.function().optional(),
  run: z.function(),
})

function isDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length
}

export function refuseRepeatedNames(
  named: readonly { readonly name: string }[],
  context: z.core.$RefinementCtx<unknown>,
): void {
  const seen = new Set<string>()
  for (const [index, { name }] of named.entries()) {
    if (seen.has(name)) context.addIssue({ code: 'custom', path: [index, 'name'], message: `${name} occurs twice` })
    seen.add(name)
  }
}

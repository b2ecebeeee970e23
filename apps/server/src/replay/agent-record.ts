import type { AgentDefinition, JsonObject, Model, Tool } from '@polylogue/engine'
import { z } from 'zod'

const json = z.json()
const jsonObject = z.record(z.string(), json)

const toolRecord = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  parameters: jsonObject,
  effect: z.enum(['readonly', 'idempotent', 'unsafe']),
  exposed: z.boolean(),
  isInspected: z.boolean(),
})

/** What a replay needs to know of an agent, as data. */
export const agentRecord = z.looseObject({
  name: z.string(),
  version: z.string(),
  instructions: z.string(),
  modelName: z.string(),
  maxSteps: z.number(),
  tools: z.array(toolRecord),
})
export type AgentRecord = z.infer<typeof agentRecord>

/** Functions are left out: a replay answers in their place. */
export function toAgentRecord({ model, tools, ...agent }: AgentDefinition): AgentRecord {
  const window = agent.contextWindow ?? model.contextWindow
  const record = { ...agent, ...(window !== undefined && { contextWindow: window }), tools: tools.map(toToolRecord) }
  return agentRecord.parse(JSON.parse(JSON.stringify(record)))
}

const toToolRecord = (tool: Tool): JsonObject =>
  JSON.parse(JSON.stringify({ ...tool, isInspected: tool.inspect !== undefined })) as JsonObject

const silent: Model = {
  stream() {
    throw new Error('a replay has its own model')
  },
}

/** An agent whose tools and model exist only by name. */
export function fromAgentRecord({ tools, ...agent }: AgentRecord): AgentDefinition {
  const made = tools.map(({ isInspected, ...tool }) => ({
    ...tool,
    check: (input: JsonObject) => ({ ok: true, input }) as const,
    ...(isInspected && { inspect: () => Promise.reject(new Error('a replay has the inspections of the log')) }),
    run: () => Promise.reject(new Error('a replay has the results of the log')),
  }))
  // The record was made of an agent by `toAgentRecord`.
  return { ...agent, model: silent, tools: made } as unknown as AgentDefinition
}

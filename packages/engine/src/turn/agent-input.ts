import { z } from 'zod'
import type { JsonObject } from '../json.ts'

/** The input of a tool with `performer: 'agent'`. */
const agentInput = z.object({
  /** Absent: a new instance of the calling agent. */
  agent: z.string().min(1).optional(),
  description: z.string().default(''),
  prompt: z.string().min(1),
})

export type AgentInput = z.output<typeof agentInput>

export function parseAgentInput(input: JsonObject): AgentInput | undefined {
  return agentInput.safeParse(input).data
}

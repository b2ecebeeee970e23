import { z } from 'zod'
import type { JsonObject } from '../json.ts'

/** What a tool whose `performer` is `agent` takes. */
const agentInput = z.object({
  /** Absent: the agent that asks, with a fresh mind. */
  agent: z.string().min(1).optional(),
  description: z.string().default(''),
  prompt: z.string().min(1),
})

export type AgentInput = z.output<typeof agentInput>

export function parseAgentInput(input: JsonObject): AgentInput | undefined {
  return agentInput.safeParse(input).data
}

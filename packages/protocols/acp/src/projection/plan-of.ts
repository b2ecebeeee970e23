import type { PlanEntry } from '@agentclientprotocol/sdk'
import type { JsonObject } from '@polylogue/engine'
import { z } from 'zod'

const PLAN_TOOL = 'TodoWrite'

const todos = z.object({
  todos: z
    .array(
      z.object({
        content: z.string().min(1),
        status: z.enum(['pending', 'in_progress', 'completed']),
        priority: z.enum(['high', 'medium', 'low']).default('medium'),
      }),
    )
    .min(1),
})

/** The plan that a call writes; `undefined` for any other call, and for one that says nothing of use. */
export function planOf(name: string, input: JsonObject): PlanEntry[] | undefined {
  if (name !== PLAN_TOOL) return undefined
  const parsed = todos.safeParse(input)
  return parsed.success ? parsed.data.todos : undefined
}

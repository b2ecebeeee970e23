import type { PlanEntry } from '@agentclientprotocol/sdk'
import { toReadable, type JsonObject, type ToolKind } from '@polylogue/engine'
import { z } from 'zod'

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

/** The plan that a call writes. `undefined` for other kinds of calls and for malformed input. */
export function planOf(kind: ToolKind | undefined, input: JsonObject): PlanEntry[] | undefined {
  if (kind !== 'plan') return undefined
  const parsed = todos.safeParse(input)
  return parsed.data?.todos.map((entry) => ({ ...entry, content: toReadable(entry.content) }))
}

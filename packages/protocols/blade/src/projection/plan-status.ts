import type { JsonObject } from '@polylogue/engine'
import { z } from 'zod'
import type { Json } from '../wire.ts'

export interface Plan {
  readonly status: 'draft' | 'proposed' | 'approved' | 'in_progress' | 'done'
  readonly steps?: readonly PlanStep[]
}

interface PlanStep {
  readonly title: string
  readonly status: string
}

const input = z.object({ todos: z.array(z.object({ content: z.string(), status: z.string() })) })

/** The plan that a call writes. `undefined` when its input is not a plan. */
export function writePlan(written: JsonObject, isPlanning: boolean): Plan | undefined {
  const parsed = input.safeParse(written)
  if (!parsed.success) return undefined
  const steps = parsed.data.todos.map(({ content, status }) => ({ title: content, status }))
  if (isPlanning) return { status: 'draft', steps }
  const isDone = steps.length > 0 && steps.every(({ status }) => status === 'completed')
  return { status: isDone ? 'done' : 'in_progress', steps }
}

export const toPlanContent = ({ status, steps }: Plan): Json => ({
  status,
  ...(steps && { steps: steps.map((step) => ({ ...step })) }),
})

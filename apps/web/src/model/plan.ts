import { isObject, type JsonObject } from './http.ts'

export interface PlanStep {
  readonly title: string
  readonly status: string
}

/** Of the tool's own input, or of the plan that Blade tells. */
export function stepsOf(plan: JsonObject): readonly PlanStep[] {
  const listed = plan['todos'] ?? plan['steps']
  if (!Array.isArray(listed)) return []
  return listed.filter(isObject).map((step) => ({
    title: textOf(step['content'] ?? step['title']),
    status: textOf(step['status']),
  }))
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

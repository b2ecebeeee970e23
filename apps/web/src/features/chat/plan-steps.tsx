import { Check, Circle, CircleDot } from 'lucide-react'
import { isObject, type JsonObject } from '../../model/http.ts'
import './plan-steps.css'

/** A plan as the agent wrote it down. */
export function PlanSteps({ input }: { readonly input: JsonObject }) {
  return (
    <ol className="plan">
      {stepsOf(input).map(({ title, status }, index) => (
        <li key={`${index}${title}`} data-status={status}>
          <StepMark status={status} />
          <span>{title}</span>
        </li>
      ))}
    </ol>
  )
}

function StepMark({ status }: { readonly status: string }) {
  if (status === 'completed') return <Check size={14} aria-label={status} />
  return status === 'in_progress' ? (
    <CircleDot size={14} aria-label={status} />
  ) : (
    <Circle size={14} aria-label={status} />
  )
}

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

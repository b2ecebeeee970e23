import { Check, Circle, CircleDot } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { PlanStep } from '../../model/plan.ts'
import { spellBidi } from '../../ui/spell-bidi.ts'
import './plan-steps.css'

/** A plan as the agent wrote it down. */
export function PlanSteps({ steps }: { readonly steps: readonly PlanStep[] }) {
  return (
    <ol className="plan">
      {steps.map(({ title, status }, index) => (
        <li key={`${index}${title}`} data-status={status}>
          <StepMark status={status} />
          <span>{spellBidi(title)}</span>
        </li>
      ))}
    </ol>
  )
}

function StepMark({ status }: { readonly status: string }) {
  const { t } = useTranslation()
  if (status === 'completed') return <Check size={14} aria-label={t('done')} />
  return status === 'in_progress' ? (
    <CircleDot size={14} aria-label={t('running')} />
  ) : (
    <Circle size={14} aria-label={t('planned')} />
  )
}

import { useTranslation } from 'react-i18next'
import type { SessionOutline } from '../../model/session-outline.ts'
import type { TurnSource } from '../../model/turn-source.ts'
import { CardFrame } from '../../ui/card-frame.tsx'
import { PlanSteps } from '../chat/plan-steps.tsx'
import { AgentTree } from './agent-tree.tsx'
import './session-panel.css'

export interface OutlineSectionsProps {
  readonly session: TurnSource
  readonly outline: SessionOutline
}

/** The plan, the sub-agents and the card of a session, now or in the past. */
export function OutlineSections({ session, outline: { plan, agents, card } }: OutlineSectionsProps) {
  const { t } = useTranslation()
  const done = plan.filter(({ status }) => status === 'completed').length
  return (
    <>
      {plan.length === 0 ? null : (
        <section aria-label={t('plan')}>
          <h2>
            {t('plan')}{' '}
            <span className="quiet">
              {done}/{plan.length}
            </span>
          </h2>
          <PlanSteps steps={plan} />
        </section>
      )}
      {agents.length === 0 ? null : (
        <section aria-label={t('subAgents')}>
          <h2>{t('subAgents')}</h2>
          <AgentTree session={session} agents={agents} />
        </section>
      )}
      {card === undefined ? null : (
        <section className="panel-card" aria-label={t('card')}>
          <CardFrame key={card.callId} sessionId={session.id} card={card} />
        </section>
      )}
    </>
  )
}

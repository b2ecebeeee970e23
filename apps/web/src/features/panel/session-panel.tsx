import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { OpenSession } from '../../model/open-session.ts'
import { outlineKey } from '../../model/open-session.ts'
import { CardFrame } from '../../ui/card-frame.tsx'
import { useSnapshot } from '../../ui/model-context.tsx'
import { PlanSteps } from '../chat/plan-steps.tsx'
import { AgentTree } from './agent-tree.tsx'
import './session-panel.css'

interface SessionPanelProps {
  readonly session: OpenSession
  readonly onClose: () => void
}

/** Beside the chat: the plan and the sub-agents as they are now. */
export function SessionPanel({ session, onClose }: SessionPanelProps) {
  const { t } = useTranslation()
  const { plan, agents, card } = useSnapshot(outlineKey(session.id), () => session.outline)
  const done = plan.filter(({ status }) => status === 'completed').length
  return (
    <aside className="panel" aria-label={t('panel')}>
      <button type="button" className="button bare icon panel-close" aria-label={t('close')} onClick={onClose}>
        <X size={16} aria-hidden />
      </button>
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
    </aside>
  )
}

import type { AgentBudgets } from '@polylogue/client/console'
import { useTranslation } from 'react-i18next'
import { formatCount, formatDuration } from '../../ui/format.ts'
import { formatCost } from '../../ui/format-cost.ts'
import { spellBidi } from '../../ui/spell-bidi.ts'
import { Problem } from './problem.tsx'
import { useAnswer } from './use-answer.ts'

type Limits = NonNullable<AgentBudgets['turn']>

/** What turns, sessions and your key may spend with each agent. The configuration sets it. */
export function BudgetsPage() {
  const { t } = useTranslation()
  const { value, problem } = useAnswer('budgets', (api) => api.listBudgets())
  const budgets = value?.budgets.filter(({ turn, session, key }) => turn ?? session ?? key) ?? []
  const per = { day: t('budgetPerDay'), month: t('budgetPerMonth') }
  return (
    <>
      <Problem text={problem} />
      {value !== undefined && budgets.length === 0 ? <p className="empty">{t('noBudgets')}</p> : null}
      {value === undefined || budgets.length === 0 ? null : (
        <table className="manage-table budgets-table">
          <thead>
            <tr>
              <th>{t('agentWord')}</th>
              <th>{t('budgetTurn')}</th>
              <th>{t('budgetSession')}</th>
              <th>{t('budgetKey')}</th>
            </tr>
          </thead>
          <tbody>
            {budgets.map(({ agent, turn, session, key }) => (
              <tr key={agent} data-budget={agent}>
                <td>
                  <b>{spellBidi(agent)}</b>
                </td>
                <td data-label={t('budgetTurn')}>
                  <LimitList limits={turn} currency={value.currency} />
                </td>
                <td data-label={t('budgetSession')}>
                  <LimitList limits={session} currency={value.currency} />
                </td>
                <td data-label={t('budgetKey')}>
                  <LimitList limits={key} currency={value.currency} per={key && per[key.per]} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className="quiet manage-note">{t('budgetsNote')}</p>
    </>
  )
}

interface LimitListProps {
  readonly limits: Limits | undefined
  readonly currency: string
  readonly per?: string | undefined
}

function LimitList({ limits, currency, per }: LimitListProps) {
  const { t, i18n } = useTranslation()
  if (limits === undefined) return <span className="quiet">–</span>
  const { tokens, money, steps, wallTimeMs, whenSpent } = limits
  const count = (amount: number): string => formatCount(amount, i18n.language)
  const parts = [
    ...(money === undefined ? [] : [formatCost({ cost: { [currency]: money }, unpricedCalls: 0 }, i18n.language)]),
    ...(tokens === undefined ? [] : [t('budgetTokens', { tokens: count(tokens) })]),
    ...(steps === undefined ? [] : [t('budgetSteps', { steps: count(steps) })]),
    ...(wallTimeMs === undefined ? [] : [formatDuration(wallTimeMs, i18n.language)]),
  ]
  return (
    <>
      {parts.join(', ')} {per}
      <small className="quiet">{whenSpent === 'stop' ? t('budgetStops') : t('budgetAsks')}</small>
    </>
  )
}

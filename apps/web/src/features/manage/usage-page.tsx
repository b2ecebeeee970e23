import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { formatCost } from '../../ui/format-cost.ts'
import { lastDays } from './model-days.ts'
import { Problem } from './problem.tsx'
import { UsageBars } from './usage-bars.tsx'
import { useAnswer } from './use-answer.ts'
import './manage.css'

const GROUPINGS = ['model', 'agent', 'key', 'session', 'day'] as const
const DAYS = 14

/** What model calls cost. An unknown price is `?`, never zero. */
export function UsagePage() {
  const { t, i18n } = useTranslation()
  const [by, setBy] = useState<(typeof GROUPINGS)[number]>('model')
  const days = lastDays(DAYS)
  const daily = useAnswer('days', (api) => api.readUsage({ query: { by: 'day,model', from: days[0], limit: 10_000 } }))
  const { value, problem } = useAnswer(`usage:${by}`, async (api) => ({
    by,
    ...(await api.readUsage({ query: { by } })),
  }))
  // Until the answer to another question is there, the last one stays as it is.
  const shown = value?.by ?? by
  const words = { model: t('model'), agent: t('agentWord'), key: t('key'), session: t('session'), day: t('day') }
  const count = (amount: number): string => new Intl.NumberFormat(i18n.language).format(amount)
  return (
    <main className="page">
      <div className="page-inner">
        <h1>{t('usage')}</h1>
        {value?.total === undefined ? (
          <p className="quiet">{t('noUsage')}</p>
        ) : (
          <dl className="usage-total">
            <div>
              <dt>{t('cost')}</dt>
              <dd>{formatCost(value.total, i18n.language)}</dd>
            </div>
            <div>
              <dt>{t('callsWord')}</dt>
              <dd>{count(value.total.calls)}</dd>
            </div>
            <div>
              <dt>{t('input')}</dt>
              <dd>{count(value.total.inputTokens)}</dd>
            </div>
            <div>
              <dt>{t('output')}</dt>
              <dd>{count(value.total.outputTokens)}</dd>
            </div>
          </dl>
        )}
        <UsageBars rows={daily.value?.rows ?? []} days={days} />
        <nav className="tabs" aria-label={t('groupBy')}>
          {GROUPINGS.map((name) => (
            <button key={name} type="button" aria-pressed={name === by} onClick={() => setBy(name)}>
              {words[name]}
            </button>
          ))}
        </nav>
        <Problem text={problem} />
        <table className="manage-table usage-table">
          <thead>
            <tr>
              <th>{words[shown]}</th>
              <th>{t('callsWord')}</th>
              <th>{t('input')}</th>
              <th>{t('output')}</th>
              <th>{t('cost')}</th>
            </tr>
          </thead>
          <tbody>
            {value?.rows.map((row) => (
              <tr key={row[shown] ?? ''}>
                <td>
                  {row.session === undefined ? (
                    (row[shown] ?? '–')
                  ) : (
                    <Link href={`/s/${row.session}`}>{row.session}</Link>
                  )}
                </td>
                <td>{count(row.calls)}</td>
                <td>{count(row.inputTokens)}</td>
                <td>{count(row.outputTokens)}</td>
                <td>{formatCost(row, i18n.language)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </main>
  )
}

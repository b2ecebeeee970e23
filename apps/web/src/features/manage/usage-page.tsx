import type { UsageRow } from '@polylogue/client/console'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatCount } from '../../ui/format.ts'
import { formatCost } from '../../ui/format-cost.ts'
import { Problem } from './problem.tsx'
import { useAnswer } from './use-answer.ts'
import './manage.css'

const GROUPINGS = ['model', 'agent', 'key', 'session', 'day'] as const
const DAYS = 14
const DAY_MS = 24 * 60 * 60 * 1000

/** What model calls cost. An unknown price is `?`, never zero. */
export function UsagePage() {
  const { t, i18n } = useTranslation()
  const [by, setBy] = useState<(typeof GROUPINGS)[number]>('model')
  const from = new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
  const days = useAnswer('days', (api) => api.readUsage({ query: { by: 'day', from } }))
  const { value, problem } = useAnswer(`usage:${by}`, (api) => api.readUsage({ query: { by } }))
  const words = { model: t('model'), agent: t('agentWord'), key: t('key'), session: t('session'), day: t('day') }
  const count = (amount: number): string => formatCount(amount, i18n.language)
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
        <p className="bars-title quiet">{t('tokensByDay')}</p>
        <Bars rows={days.value?.rows ?? []} />
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
              <th>{words[by]}</th>
              <th>{t('callsWord')}</th>
              <th>{t('input')}</th>
              <th>{t('output')}</th>
              <th>{t('cost')}</th>
            </tr>
          </thead>
          <tbody>
            {value?.rows.map((row) => (
              <tr key={row[by] ?? ''}>
                <td>{row[by] ?? '–'}</td>
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

/** Tokens by day, as a picture of the table below it. */
function Bars({ rows }: { readonly rows: readonly UsageRow[] }) {
  const { t, i18n } = useTranslation()
  const byDay = new Map(rows.map((row) => [row.day, row]))
  const days = Array.from({ length: DAYS }, (_, index) =>
    new Date(Date.now() - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  )
  const tokensOf = (day: string): number => {
    const row = byDay.get(day)
    return row === undefined ? 0 : row.inputTokens + row.outputTokens
  }
  const most = Math.max(1, ...days.map(tokensOf))
  return (
    <figure className="bars" role="img" aria-label={t('tokensByDay')}>
      {days.map((day) => (
        <span key={day} title={`${day}: ${formatCount(tokensOf(day), i18n.language)}`}>
          <i data-none={tokensOf(day) === 0} style={{ height: `${(tokensOf(day) / most) * 100}%` }} />
          <small>{day.slice(8)}</small>
        </span>
      ))}
    </figure>
  )
}

import type { UsageRow } from '@polylogue/client/console'
import { useTranslation } from 'react-i18next'
import { formatCount } from '../../ui/format.ts'
import { spellBidi } from '../../ui/spell-bidi.ts'
import { seriesOf } from './model-days.ts'
import './usage-bars.css'

interface UsageBarsProps {
  /** By day and model. */
  readonly rows: readonly UsageRow[]
  readonly days: readonly string[]
}

/** Tokens by day, stacked by model: as a picture with a legend, and as a table for those who do not see it. */
export function UsageBars({ rows, days }: UsageBarsProps) {
  const { t, i18n } = useTranslation()
  const series = seriesOf(rows, days).map(({ model, ...sums }, index) => ({
    ...sums,
    pattern: model === undefined ? 'rest' : index,
    name: model === undefined ? t('otherModels') : spellBidi(model),
  }))
  const count = (amount: number): string => formatCount(amount, i18n.language)
  const totals = days.map((_, day) => series.reduce((sum, { tokens }) => sum + (tokens[day] ?? 0), 0))
  const most = Math.max(1, ...totals)
  const described = (day: string, index: number): string =>
    [
      `${day}: ${count(totals[index] ?? 0)}`,
      ...series.flatMap(({ name, tokens: { [index]: amount = 0 } }) =>
        amount === 0 ? [] : [`${name}: ${count(amount)}`],
      ),
    ].join('\n')
  return (
    <figure className="usage-bars">
      <figcaption className="quiet">{t('tokensByDay')}</figcaption>
      <div className="bars" aria-hidden>
        {days.map((day, index) => (
          <span key={day} title={described(day, index)}>
            <b>
              {series.map(({ name, pattern, tokens: { [index]: amount = 0 } }) =>
                amount === 0 ? null : (
                  <i key={name} data-series={pattern} style={{ height: `${(amount / most) * 100}%` }} />
                ),
              )}
            </b>
            <small>{day.slice(8)}</small>
          </span>
        ))}
      </div>
      {series.length === 0 ? null : (
        <ul className="bars-legend" aria-label={t('model')}>
          {series.map(({ name, pattern, total }) => (
            <li key={name}>
              <i data-series={pattern} aria-hidden /> <span translate="no">{name}</span>{' '}
              <span className="quiet">{count(total)}</span>
            </li>
          ))}
        </ul>
      )}
      <div className="visually-hidden">
        <table>
          <caption>{t('tokensByDay')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('day')}</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              <th scope="col">{t('allModels')}</th>
            </tr>
          </thead>
          <tbody>
            {days.map((day, index) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                {series.map(({ name, tokens }) => (
                  <td key={name}>{count(tokens[index] ?? 0)}</td>
                ))}
                <td>{count(totals[index] ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}

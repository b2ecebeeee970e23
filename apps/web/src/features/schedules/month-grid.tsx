import { useTranslation } from 'react-i18next'
import type { TaskRun } from '../../model/schedules-rest.ts'
import { dayKey, monthDays } from './month-days.ts'
import type { DueSlot } from './use-schedules.ts'

interface MonthGridProps {
  readonly month: Date
  readonly slots: ReadonlyMap<string, readonly DueSlot[]>
  /** Due times after this moment may be missing. */
  readonly until: Date | undefined
  readonly runs: ReadonlyMap<string, readonly TaskRun[]>
  readonly chosen: string
  readonly onChoose: (day: string) => void
}

/** How often tasks are due on each day, and how those that ran have ended. */
export function MonthGrid({ month, slots, until, runs, chosen, onChoose }: MonthGridProps) {
  const { t, i18n } = useTranslation()
  const days = monthDays(month)
  const today = dayKey(new Date())
  const weekday = new Intl.DateTimeFormat(i18n.language, { weekday: 'short' })
  const whole = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'full' })
  const now = Date.now()
  return (
    <div className="month" role="group" aria-label={t('calendar')}>
      {days.slice(0, 7).map((day) => (
        <span key={day.getTime()} className="month-weekday" aria-hidden>
          {weekday.format(day)}
        </span>
      ))}
      {days.map((day) => {
        const key = dayKey(day)
        const due = slots.get(key)?.filter(({ at }) => at.getTime() > now).length ?? 0
        const ended = runs.get(key) ?? []
        const count = due + ended.length
        const end = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1)
        const isCut = until !== undefined && end > until && end.getTime() > now
        return (
          <button
            key={key}
            type="button"
            className="month-day"
            data-day={key}
            data-other={day.getMonth() !== month.getMonth() || undefined}
            data-today={key === today || undefined}
            aria-pressed={key === chosen}
            aria-label={`${whole.format(day)}: ${t('dueTimes', { count })}`}
            onClick={() => onChoose(key)}
          >
            <span className="month-number">{day.getDate()}</span>
            {count === 0 && !isCut ? null : (
              <span className="month-count">
                {isCut ? '≥ ' : ''}
                {count}
              </span>
            )}
            <Outcomes runs={ended} />
          </button>
        )
      })}
    </div>
  )
}

function Outcomes({ runs }: { readonly runs: readonly TaskRun[] }) {
  const { t } = useTranslation()
  const failed = runs.filter(({ status }) => status === 'failed').length
  const done = runs.filter(({ status }) => status === 'completed').length
  return (
    <span className="month-outcomes">
      {done === 0 ? null : <span title={t('done')}>✓ {done}</span>}
      {failed === 0 ? null : (
        <span className="bad" title={t('failed')}>
          ✕ {failed}
        </span>
      )}
    </span>
  )
}

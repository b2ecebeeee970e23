import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { ScheduledTask, TaskRun } from '../../model/schedules-rest.ts'
import { spellBidi } from '../../ui/spell-bidi.ts'
import type { DueSlot } from './use-schedules.ts'

interface DayListProps {
  readonly day: string
  readonly slots: readonly DueSlot[]
  readonly runs: readonly TaskRun[]
  readonly tasks: readonly ScheduledTask[]
}

/** Longer days are cut: a task that runs every minute is due 1,440 times. */
const MOST = 100

/** The runs of a day, each with its session, and what is still due. */
export function DayList({ day, slots, runs, tasks }: DayListProps) {
  const { t, i18n } = useTranslation()
  const date = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'full' })
  const time = new Intl.DateTimeFormat(i18n.language, { timeStyle: 'short' })
  const due = slots.filter(({ at }) => at.getTime() > Date.now())
  const words = { running: t('running'), completed: t('done'), failed: t('failed') }
  return (
    <section className="day-list" aria-label={t('day')}>
      <h2>{date.format(new Date(`${day}T00:00`))}</h2>
      {runs.length === 0 && due.length === 0 ? <p className="quiet">{t('nothingDue')}</p> : null}
      <ul>
        {runs.toReversed().map(({ id, task_id, session_id, status, error, triggered_at }) => (
          <li key={id} data-run={id}>
            <Link href={`/s/${session_id}`}>
              <time dateTime={triggered_at}>{time.format(new Date(triggered_at))}</time>
              <span className="truncate">{spellBidi(tasks.find((task) => task.id === task_id)?.title ?? '')}</span>
              <span className={status === 'failed' ? 'bad' : 'quiet'}>{words[status]}</span>
              {error === null ? null : <small className="quiet truncate">{spellBidi(error)}</small>}
            </Link>
          </li>
        ))}
        {due.slice(0, MOST).map(({ taskId, title, at }) => (
          <li key={`${taskId}${at.getTime()}`} data-slot={at.toISOString()}>
            <span>
              <time dateTime={at.toISOString()}>{time.format(at)}</time>
              <span className="truncate">{spellBidi(title)}</span>
              <span className="quiet">{t('due')}</span>
            </span>
          </li>
        ))}
        {due.length > MOST ? <li className="quiet">{t('moreDue', { count: due.length - MOST })}</li> : null}
      </ul>
    </section>
  )
}

import { ChevronLeft, ChevronRight, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { ScheduledTask } from '../../model/schedules-rest.ts'
import { Problem } from '../manage/problem.tsx'
import { DayList } from './day-list.tsx'
import { dayKey } from './month-days.ts'
import { MonthGrid } from './month-grid.tsx'
import { TaskForm } from './task-form.tsx'
import { TaskList } from './task-list.tsx'
import { useSchedules } from './use-schedules.ts'
import './schedules.css'

const monthOf = (date: Date, by = 0): Date => new Date(date.getFullYear(), date.getMonth() + by, 1)

/** What runs by itself: a month with the due times and their outcome, the tasks, and one day at a time. */
export function SchedulesPage({ id }: { readonly id?: string | undefined }) {
  const { t, i18n } = useTranslation()
  const [month, setMonth] = useState(() => monthOf(new Date()))
  const [day, setDay] = useState(() => dayKey(new Date()))
  const [editing, setEditing] = useState<ScheduledTask | 'new'>()
  const [, navigate] = useLocation()
  const { tasks, slots, until, runs, problem, run } = useSchedules(month)
  // The address of a task opens it.
  const edited = editing ?? tasks?.find((task) => task.id === id)
  const close = (): void => {
    setEditing(undefined)
    if (id !== undefined) navigate('/schedules', { replace: true })
  }
  const name = new Intl.DateTimeFormat(i18n.language, { month: 'long', year: 'numeric' }).format(month)
  return (
    <main className="page">
      <div className="page-inner schedules">
        <header className="schedules-head">
          <div>
            <h1>{t('schedules')}</h1>
            <p className="quiet">{t('schedulesHint')}</p>
          </div>
          <button type="button" className="button ink" onClick={() => setEditing('new')}>
            <Plus size={15} aria-hidden /> {t('newTask')}
          </button>
        </header>
        <Problem text={edited === undefined ? problem : undefined} />
        {tasks?.length === 0 ? <p className="empty">{t('noTasks')}</p> : null}
        {tasks === undefined || tasks.length === 0 ? null : (
          <>
            <div className="month-head">
              <button
                type="button"
                className="button bare icon"
                aria-label={t('previous')}
                onClick={() => setMonth(monthOf(month, -1))}
              >
                <ChevronLeft size={16} aria-hidden />
              </button>
              <h2>{name}</h2>
              <button
                type="button"
                className="button bare icon"
                aria-label={t('next')}
                onClick={() => setMonth(monthOf(month, 1))}
              >
                <ChevronRight size={16} aria-hidden />
              </button>
            </div>
            <MonthGrid month={month} slots={slots} until={until} runs={runs} chosen={day} onChoose={setDay} />
            <DayList day={day} slots={slots.get(day) ?? []} runs={runs.get(day) ?? []} tasks={tasks} />
            <TaskList tasks={tasks} run={run} onEdit={setEditing} />
          </>
        )}
        {edited === undefined ? null : (
          <TaskForm task={edited === 'new' ? undefined : edited} problem={problem} run={run} onClose={close} />
        )}
      </div>
    </main>
  )
}

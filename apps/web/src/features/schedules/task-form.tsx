import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { changeTask, createTask, type NewTask, type ScheduledTask } from '../../model/schedules-rest.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Problem } from '../manage/problem.tsx'
import { describeCron } from './describe-cron.ts'

interface TaskFormProps {
  /** Absent: a new one. */
  readonly task: ScheduledTask | undefined
  readonly problem: string | undefined
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>
  readonly onClose: () => void
}

const EXAMPLES = ['0 9 * * 1-5', '0 * * * *', '0 18 * * 5'] as const

export function TaskForm({ task, problem, run, onClose }: TaskFormProps) {
  const { t, i18n } = useTranslation()
  const [given, setGiven] = useState<NewTask>({
    title: task?.title ?? '',
    prompt: task?.prompt ?? '',
    cron: task?.cron ?? EXAMPLES[0],
    timezone: task?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    skip_confirmations: task?.skip_confirmations ?? false,
  })
  const set = (changes: Partial<NewTask>): void => setGiven({ ...given, ...changes })
  const save = async (): Promise<void> => {
    if (await run(() => (task === undefined ? createTask(given) : changeTask(task.id, given)))) onClose()
  }
  return (
    <Dialog title={task === undefined ? t('newTask') : t('editTask')} onClose={onClose}>
      <form
        className="task-form"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <label>
          {t('title')}
          <input className="field" value={given.title} onChange={(event) => set({ title: event.target.value })} />
        </label>
        <label>
          {t('taskPrompt')}
          <textarea
            className="field"
            rows={4}
            value={given.prompt}
            onChange={(event) => set({ prompt: event.target.value })}
          />
        </label>
        <div className="task-when">
          <label>
            {t('cron')}
            <input
              className="field mono"
              list="cron-examples"
              value={given.cron}
              onChange={(event) => set({ cron: event.target.value })}
            />
          </label>
          <label>
            {t('timezone')}
            <input
              className="field"
              value={given.timezone}
              onChange={(event) => set({ timezone: event.target.value })}
            />
          </label>
        </div>
        <p className="quiet task-sentence" aria-live="polite">
          {describeCron(given.cron, { t, language: i18n.language })}
        </p>
        <datalist id="cron-examples">
          {EXAMPLES.map((example) => (
            <option key={example} value={example} label={describeCron(example, { t, language: i18n.language })} />
          ))}
        </datalist>
        <label className="task-check">
          <input
            type="checkbox"
            checked={given.skip_confirmations}
            onChange={(event) => set({ skip_confirmations: event.target.checked })}
          />
          <span>
            {t('unattended')} <small className="quiet">{t('unattendedHint')}</small>
          </span>
        </label>
        <Problem text={problem} />
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            {t('cancel')}
          </button>
          <button
            type="submit"
            className="button ink"
            disabled={given.title.trim() === '' || given.prompt.trim() === '' || given.cron.trim() === ''}
          >
            {t('save')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

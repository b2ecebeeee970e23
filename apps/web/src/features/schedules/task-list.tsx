import { useTranslation } from 'react-i18next'
import { deleteTask, enableTask, type ScheduledTask } from '../../model/schedules-rest.ts'
import { spellBidi } from '../../ui/spell-bidi.ts'
import { describeCron } from './describe-cron.ts'

interface TaskListProps {
  readonly tasks: readonly ScheduledTask[]
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>
  readonly onEdit: (task: ScheduledTask) => void
}

export function TaskList({ tasks, run, onEdit }: TaskListProps) {
  const { t, i18n } = useTranslation()
  return (
    <section aria-label={t('tasks')}>
      <h2 className="tasks-title">{t('tasks')}</h2>
      <ul className="tasks">
        {tasks.map((task) => (
          <li key={task.id} data-task={task.id} data-enabled={task.enabled}>
            <div className="task-text">
              <b>{spellBidi(task.title)}</b>
              <span title={task.cron}>
                {describeCron(task.cron, { t, language: i18n.language }) ?? <code>{task.cron}</code>}
                {task.enabled ? '' : ` · ${t('off')}`}
              </span>
              <span className="quiet task-cron">
                <code>{task.cron}</code> {task.timezone}
              </span>
            </div>
            <button type="button" className="button" onClick={() => void run(() => enableTask(task.id, !task.enabled))}>
              {task.enabled ? t('disable') : t('enable')}
            </button>
            <button type="button" className="button" onClick={() => onEdit(task)}>
              {t('edit')}
            </button>
            <button type="button" className="button bad" onClick={() => void run(() => deleteTask(task.id))}>
              {t('remove')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

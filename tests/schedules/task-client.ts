import { type RestClient, createRestClient } from '../blade/rest-client.ts'
import { eventually } from '../support/eventually.ts'
import { makeDue } from './due-now.ts'

export interface Task {
  readonly id: string
  readonly enabled: boolean
  readonly detail?: string
}

export interface Run {
  readonly id: string
  readonly session_id: string
  readonly status: string
  readonly error: string | null
  readonly triggered_at: string
  readonly finished_at: string | null
}

export interface TaskClient extends RestClient {
  readonly user: string
  task(fields?: object): Promise<Task>
  runs(taskId: string): Promise<readonly Run[]>
  /** Lets the minute of a task come. */
  comeDue(taskId: string): Promise<void>
  /** When its first run has ended. */
  ended(taskId: string): Promise<Run>
}

export interface TaskServer {
  readonly url: string
  readonly key: string
  readonly dataDir: string
}

export const YEARLY = { title: 'Report', prompt: 'say done', cron: '0 0 1 1 *', timezone: 'UTC', enabled: true }

export function createTaskClient({ url, key, dataDir }: TaskServer, user = 'local'): TaskClient {
  const rest = createRestClient({ url, key })
  const task = async (fields: object = {}): Promise<Task> =>
    (await rest.send<Task>('POST', '/scheduled-tasks', { ...YEARLY, ...fields })).body
  const runs = async (taskId: string): Promise<readonly Run[]> =>
    (await rest.send<readonly Run[]>('GET', `/scheduled-tasks/${taskId}/runs`)).body
  return {
    ...rest,
    user,
    task,
    runs,
    async comeDue(taskId) {
      await makeDue(dataDir, taskId, user)
      // A server looks for slots whenever somebody schedules something.
      await task({ title: 'Look!' })
    },
    ended: (taskId) =>
      eventually(async () => {
        const [run] = await runs(taskId)
        return run !== undefined && run.status !== 'running' ? run : undefined
      }, 'a run that has ended'),
  }
}

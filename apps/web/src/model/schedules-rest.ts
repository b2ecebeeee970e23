/** The scheduled tasks of the user, as Blade's REST interface has them. */
import { request } from './http.ts'

export interface ScheduledTask {
  readonly id: string
  readonly title: string
  readonly prompt: string
  readonly cron: string
  readonly timezone: string
  readonly enabled: boolean
  readonly skip_confirmations: boolean
}

export interface TaskRun {
  readonly id: string
  readonly task_id: string
  readonly session_id: string
  readonly status: 'running' | 'completed' | 'failed'
  readonly error: string | null
  readonly triggered_at: string
}

export interface TaskSlots {
  readonly task_id: string
  readonly title: string
  /** When it is due. */
  readonly occurrences: readonly string[]
}

export type NewTask = Pick<ScheduledTask, 'title' | 'prompt' | 'cron' | 'timezone' | 'skip_confirmations'>

const BASE = '/api/scheduled-tasks'
const at = (id: string, more = ''): string => `${BASE}/${encodeURIComponent(id)}${more}`

async function list<T>(path: string): Promise<readonly T[]> {
  const answer = await request('GET', path)
  if (!Array.isArray(answer)) throw new Error("The server's answer is no list.")
  // Our own server answers as its types say.
  return answer as readonly T[]
}

export const listTasks = (): Promise<readonly ScheduledTask[]> => list(BASE)
export const listRuns = (id: string): Promise<readonly TaskRun[]> => list(at(id, '/runs'))
export const listSlots = (from: Date, to: Date): Promise<readonly TaskSlots[]> =>
  list(`${BASE}/calendar?from=${from.toISOString()}&to=${to.toISOString()}`)
export const createTask = (task: NewTask): Promise<unknown> => request('POST', BASE, task)
export const changeTask = (id: string, changes: Partial<NewTask>): Promise<unknown> => request('PATCH', at(id), changes)
export const enableTask = (id: string, isEnabled: boolean): Promise<unknown> =>
  request('POST', at(id, isEnabled ? '/start' : '/stop'), {})
export const deleteTask = (id: string): Promise<unknown> => request('DELETE', at(id))

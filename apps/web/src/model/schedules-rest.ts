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
const listSlots = (from: Date, to: Date): Promise<readonly TaskSlots[]> =>
  list(`${BASE}/calendar?from=${from.toISOString()}&to=${to.toISOString()}`)
/** The server lists at most so many due times of a task in one answer. */
const MOST_OF_TASK = 1_000
/** A task that is due every minute has 43,200 due times a month. */
const MOST_ANSWERS = 12

/** The due times up to `until`. After that, tasks that are due very often were not asked for. */
export async function listAllSlots(from: Date, to: Date): Promise<{ slots: readonly TaskSlots[]; until: Date }> {
  const found = new Map<string, { readonly title: string; readonly times: string[] }>()
  let start = from
  for (let answers = 0; answers < MOST_ANSWERS && start < to; answers++) {
    let next: Date | undefined
    for (const { task_id, title, occurrences } of await listSlots(start, to)) {
      const times = found.get(task_id)?.times ?? []
      const known = Date.parse(times.at(-1) ?? '')
      // A task whose times are all known is listed again.
      times.push(...occurrences.filter((time) => !(Date.parse(time) <= known)))
      found.set(task_id, { title, times })
      const last = new Date(occurrences.at(-1) ?? '')
      if (occurrences.length >= MOST_OF_TASK && (next === undefined || last < next)) next = last
    }
    start = next === undefined ? to : new Date(next.getTime() + 1)
  }
  const slots = [...found].map(([task_id, { title, times }]) => ({ task_id, title, occurrences: times }))
  return { slots, until: start }
}

export const createTask = (task: NewTask): Promise<unknown> => request('POST', BASE, task)
export const changeTask = (id: string, changes: Partial<NewTask>): Promise<unknown> => request('PATCH', at(id), changes)
export const enableTask = (id: string, isEnabled: boolean): Promise<unknown> =>
  request('POST', at(id, isEnabled ? '/start' : '/stop'), {})
export const deleteTask = (id: string): Promise<unknown> => request('DELETE', at(id))

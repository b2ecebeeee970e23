import {
  SCHEDULE_LIMITS,
  ScheduleError,
  toReadable,
  unreachable,
  type Schedule,
  type ScheduleChanges,
  type ScheduleRun,
} from '@polylogue/engine'
import { z } from 'zod'
import type { BladeRestDeps } from './deps.ts'
import { text, toTime } from '../schema/fields.ts'
import {
  occurrencesSchema,
  scheduledTaskRunSchema,
  scheduledTaskSchema,
  type ScheduledTask,
  type ScheduledTaskRun,
} from '../schema/scheduled-task.ts'
import { operation, type Operation } from './operation.ts'
import { Refusal } from './refusal.ts'

const tag = 'Scheduled tasks'

/** An unescaped plus sign in a query arrives as a space. */
const TIME = /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:Z|([+ -])(\d\d:\d\d))?)?$/i

/** A time without a zone is in UTC, like all times that are sent. */
const instant = z
  .string()
  .max(64)
  .transform((value) => {
    const [, day = '', clock = 'T00:00', sign = '+', offset = '00:00'] = TIME.exec(value) ?? []
    return Date.parse(`${day}${clock.toUpperCase()}${sign === '-' ? '-' : '+'}${offset}`)
  })
  .refine((at) => !Number.isNaN(at), 'must be a time such as 2026-01-01T09:00:00Z')
  .meta({ format: 'date-time', examples: ['2026-01-01T09:00:00Z'] })

const fields = {
  title: text(1, SCHEDULE_LIMITS.title),
  prompt: text(1, SCHEDULE_LIMITS.prompt),
  cron: text(1, SCHEDULE_LIMITS.cron).meta({
    description: 'Five fields, read in the time zone',
    examples: ['0 9 * * *'],
  }),
  timezone: text(1, SCHEDULE_LIMITS.timezone).optional().describe('The zone of the server unless given'),
  enabled: z.boolean(),
  expires_at: instant.optional(),
  skip_confirmations: z.boolean(),
  model: text(1, SCHEDULE_LIMITS.model).optional(),
}
const newTask = z.object({
  ...fields,
  enabled: fields.enabled.default(true),
  skip_confirmations: fields.skip_confirmations.default(false),
})
/** `null` clears an expiry or a model. */
const changes = z.object({ ...fields, expires_at: instant.nullable(), model: fields.model.nullable() }).partial()
const range = z.object({ from: instant, to: instant })

type Deps = Pick<BladeRestDeps, 'schedules' | 'timezone' | 'agents' | 'models'>

/** The tasks of the calling user. */
export function scheduledTaskOperations(deps: Deps): readonly Operation[] {
  return [...allTasksOperations(deps), ...oneTaskOperations(deps)].map(refuseInOurWords)
}

function allTasksOperations(deps: Deps): readonly Operation[] {
  const { schedules } = deps
  return [
    operation({
      method: 'GET',
      path: '/api/scheduled-tasks',
      name: 'listScheduledTasks',
      tag,
      summary: 'List your scheduled tasks, newest first',
      answer: z.array(scheduledTaskSchema),
      run: async ({ caller }) => (await schedules.list(caller.userId)).map(toTask),
    }),
    operation({
      method: 'POST',
      path: '/api/scheduled-tasks',
      name: 'createScheduledTask',
      tag,
      summary: 'Create a scheduled task',
      status: 201,
      body: newTask,
      answer: scheduledTaskSchema,
      async run({ caller, body: { title, prompt, cron, ...body } }) {
        const { expires_at: expiresAt } = body
        const model = isOwnModel(body.model, deps) ? undefined : body.model
        checkModel(model, deps)
        return toTask(
          await schedules.create(caller.userId, {
            title,
            prompt,
            cron,
            timezone: body.timezone ?? deps.timezone,
            isEnabled: body.enabled,
            isUnattended: body.skip_confirmations,
            ...(expiresAt !== undefined && { expiresAt }),
            ...(model !== undefined && { model }),
          }),
        )
      },
    }),
    operation({
      method: 'GET',
      path: '/api/scheduled-tasks/calendar',
      name: 'getScheduledTaskCalendar',
      tag,
      summary: 'List the due times of your enabled tasks in a period, at most a thousand for each task',
      query: range,
      answer: z.array(occurrencesSchema),
      async run({ caller, query }) {
        const found = await schedules.occurrences(caller.userId, query)
        return found.map(({ schedule: { scheduleId, title }, slots }) => ({
          task_id: scheduleId,
          title,
          occurrences: slots.map(toTime),
        }))
      },
    }),
  ]
}

/** The model may be the agent's own, even if users cannot choose it. */
const isOwnModel = (model: string | null | undefined, { agents, models }: Deps): boolean =>
  typeof model === 'string' && model === agents.find(agents.defaultName)?.modelName && models.find(model) === undefined

function checkModel(model: string | null | undefined, { models }: Deps): void {
  if (typeof model !== 'string' || models.find(model) !== undefined) return
  throw new Refusal(422, `model: unknown model ${model}, or its provider has no key`)
}

function oneTaskOperations(deps: Deps): readonly Operation[] {
  const { schedules } = deps
  const enable = (isEnabled: boolean) =>
    operation({
      method: 'POST',
      path: `/api/scheduled-tasks/{task_id}/${isEnabled ? 'start' : 'stop'}`,
      name: isEnabled ? 'startScheduledTask' : 'stopScheduledTask',
      tag,
      summary: isEnabled ? 'Enable a task. It runs at its next due time.' : 'Disable a task. A current run continues.',
      answer: scheduledTaskSchema,
      run: async ({ caller, param }) => toTask(await schedules.change(caller.userId, param('task_id'), { isEnabled })),
    })
  return [
    operation({
      method: 'GET',
      path: '/api/scheduled-tasks/{task_id}',
      name: 'getScheduledTask',
      tag,
      summary: 'Get one of your scheduled tasks',
      answer: scheduledTaskSchema,
      run: async ({ caller, param }) => toTask(await schedules.find(caller.userId, param('task_id'))),
    }),
    operation({
      method: 'PATCH',
      path: '/api/scheduled-tasks/{task_id}',
      name: 'changeScheduledTask',
      tag,
      summary: 'Change a scheduled task',
      body: changes,
      answer: scheduledTaskSchema,
      async run({ caller, param, body }) {
        const changed = isOwnModel(body.model, deps) ? { ...body, model: null } : body
        checkModel(changed.model, deps)
        return toTask(await schedules.change(caller.userId, param('task_id'), toChanges(changed)))
      },
    }),
    operation({
      method: 'DELETE',
      path: '/api/scheduled-tasks/{task_id}',
      name: 'deleteScheduledTask',
      tag,
      summary: 'Delete a task and the list of its runs. The sessions of the runs stay.',
      run: ({ caller, param }) => schedules.remove(caller.userId, param('task_id')),
    }),
    enable(true),
    enable(false),
    operation({
      method: 'GET',
      path: '/api/scheduled-tasks/{task_id}/runs',
      name: 'listScheduledTaskRuns',
      tag,
      summary: 'List the runs of a task, newest first',
      answer: z.array(scheduledTaskRunSchema),
      run: async ({ caller, param }) => (await schedules.runs(caller.userId, param('task_id'))).map(toRun),
    }),
  ]
}

function refuseInOurWords(one: Operation): Operation {
  return {
    ...one,
    run: (given) =>
      one.run(given).catch((error: unknown) => {
        throw error instanceof ScheduleError ? toRefusal(error) : error
      }),
  }
}

const WORDS: { readonly [field: string]: string } = { expiresAt: 'expires_at' }

function toRefusal({ code, field, message }: ScheduleError): Refusal {
  switch (code) {
    case 'schedule-not-found':
      return new Refusal(404, 'There is no such scheduled task.')
    case 'invalid-schedule':
      return new Refusal(422, field === undefined ? message : `${WORDS[field] ?? field}: ${message}`)
    case 'too-many-schedules':
      return new Refusal(422, message)
    case 'schedule-busy':
      return new Refusal(409, message)
    default:
      return unreachable(code)
  }
}

function toChanges(given: z.output<typeof changes>): ScheduleChanges {
  const { enabled, expires_at, skip_confirmations, model, ...same } = given
  return {
    ...same,
    isEnabled: enabled,
    expiresAt: expires_at ?? undefined,
    isUnattended: skip_confirmations,
    model: model ?? undefined,
    cleared: [...(expires_at === null ? ['expiresAt' as const] : []), ...(model === null ? ['model' as const] : [])],
  }
}

function toTask(schedule: Schedule): ScheduledTask {
  const { scheduleId, title, prompt, cron, timezone, isEnabled, expiresAt, isUnattended, model } = schedule
  return {
    id: scheduleId,
    title: toReadable(title),
    prompt: toReadable(prompt),
    cron,
    timezone,
    enabled: isEnabled,
    expires_at: expiresAt === undefined ? null : toTime(expiresAt),
    skip_confirmations: isUnattended,
    model: model ?? null,
  }
}

function toRun(run: ScheduleRun): ScheduledTaskRun {
  return {
    id: run.runId,
    task_id: run.scheduleId,
    session_id: run.sessionId,
    status: run.status === 'due' ? 'running' : run.status,
    error: run.error ?? null,
    triggered_at: toTime(run.triggeredAt),
    finished_at: run.finishedAt === undefined ? null : toTime(run.finishedAt),
  }
}

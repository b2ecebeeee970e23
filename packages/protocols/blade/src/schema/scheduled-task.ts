import { z } from 'zod'
import { time, type Sent } from './fields.ts'

export const scheduledTaskSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    prompt: z.string(),
    cron: z.string(),
    timezone: z.string(),
    enabled: z.boolean(),
    expires_at: time.nullable(),
    skip_confirmations: z.boolean(),
    model: z.string().nullable(),
  })
  .meta({ id: 'ScheduledTask' })

export const scheduledTaskRunSchema = z
  .object({
    id: z.string(),
    task_id: z.string(),
    session_id: z.string(),
    status: z.enum(['running', 'completed', 'failed']),
    error: z.string().nullable(),
    triggered_at: time,
    finished_at: time.nullable(),
  })
  .meta({ id: 'ScheduledTaskRun' })

export const occurrencesSchema = z
  .object({ task_id: z.string(), title: z.string(), occurrences: z.array(time) })
  .meta({ id: 'ScheduledTaskOccurrences' })

export type ScheduledTask = Sent<typeof scheduledTaskSchema>
export type ScheduledTaskRun = Sent<typeof scheduledTaskRunSchema>

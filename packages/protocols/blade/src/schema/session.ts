import { z } from 'zod'
import { anyJson, time } from './fields.ts'

const session = z.object({
  id: z.string(),
  intent: z.string(),
  status: z.enum(['created', 'running', 'completed', 'failed', 'interrupted', 'waiting_for_input']),
  created_at: time,
  updated_at: time,
  user_id: z.string(),
  solution_id: z.string().nullable(),
  biz_role_id: z.string().nullable(),
  model: z.string().nullable(),
  thinking: z
    .string()
    .nullable()
    .describe('How much the model thinks: one of its levels. `null`: as much as by default'),
  shared: z.boolean(),
  is_pinned: z.boolean(),
  memory_enabled: z.boolean(),
  is_persistent: z.boolean(),
  replay_state: anyJson,
})
export const sessionSchema = session.meta({ id: 'Session' })

const mode = z.enum(['planning', 'executing'])

export const roleSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    initial_mode: mode,
    initial_message: z.string().nullable(),
  })
  .meta({ id: 'BizRole', description: 'One of the roles of an agent.' })

export const solutionSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    version: z.string(),
    description: z.string(),
    layout_type: z.string(),
    initial_message: z.string().nullable(),
    data: anyJson,
    roles: z.array(roleSchema),
  })
  .meta({ id: 'Solution', description: 'An agent of this server.' })

export const sessionDetailSchema = session
  .extend({
    solution: solutionSchema.nullable(),
    primary_skill_snapshot: z.null(),
    session_setup: z.object({
      mode,
      layout_type: z.string(),
      initial_message: z.string().nullable(),
      disable_tools: z.array(z.string()),
    }),
    viewer_role: z.enum(['owner', 'viewer']),
  })
  .meta({ id: 'SessionDetail' })

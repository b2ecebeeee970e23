// What is sent. The types of the wire are in `wire.ts`; the compiler holds these to them.
import { z } from 'zod'
import type { Json, Session, TurnProjection } from '../wire.ts'
import { time } from './fields.ts'

const anything = z.custom<Json>((value) => value !== undefined)
const orNull = <S extends z.ZodType>(schema: S) => schema.nullable()
const text = z.string()
const count = z.int().min(0)

const session = z.object({
  id: text,
  intent: text,
  status: z.enum(['created', 'running', 'completed', 'failed', 'interrupted', 'waiting_for_input']),
  created_at: time,
  updated_at: time,
  user_id: text,
  solution_id: orNull(text),
  biz_role_id: orNull(text),
  model: orNull(text),
  shared: z.boolean(),
  is_pinned: z.boolean(),
  memory_enabled: z.boolean(),
  is_persistent: z.boolean(),
  replay_state: anything,
})
export const sessionSchema = session.meta({ id: 'Session' }) satisfies z.ZodType<Session>

const mode = z.enum(['planning', 'executing'])

export const roleSchema = z
  .object({ id: text, name: text, description: text, initial_mode: mode, initial_message: orNull(text) })
  .meta({ id: 'BizRole', description: 'One of the roles of an agent.' })

export const solutionSchema = z
  .object({
    id: text,
    name: text,
    version: text,
    description: text,
    layout_type: text,
    initial_message: orNull(text),
    data: anything,
    roles: z.array(roleSchema),
  })
  .meta({ id: 'Solution', description: 'An agent of this server.' })

export const sessionDetailSchema = session
  .extend({
    solution: orNull(solutionSchema),
    primary_skill_snapshot: z.null(),
    session_setup: z.object({
      mode,
      layout_type: text,
      initial_message: orNull(text),
      disable_tools: z.array(text).readonly(),
    }),
    viewer_role: z.enum(['owner', 'viewer']),
  })
  .meta({ id: 'SessionDetail' })

export const turnSchema = z
  .object({
    id: text,
    sequence: count,
    turn_id: text,
    loop_id: text,
    kind: z.enum(['message', 'compaction']),
    role: z.enum(['user', 'assistant', 'system']),
    status: z.enum(['streaming', 'completed', 'paused', 'failed', 'interrupted']),
    blocks: z.array(
      z
        .object({
          type: z.enum([
            'text',
            'thinking',
            'tool_use',
            'tool_result',
            'tool_ui',
            'tool_bridge',
            'system_notification',
            'mode_change',
            'planning_enter',
            'planning_exit',
            'plan_status',
            'ask_user_answer',
          ]),
          content: anything,
          tool_call_id: orNull(text),
          tool_name: orNull(text),
          display_name: orNull(text),
        })
        .meta({ id: 'ContentBlock' }),
    ),
    tool_calls: z.array(
      z
        .object({
          id: text,
          tool_name: text,
          display_name: text,
          arguments: text.meta({ description: 'JSON text.' }),
          status: z.enum(['pending', 'done', 'error', 'cancelled', 'awaiting_answer']),
          result: anything,
          duration_ms: orNull(count),
          pending_question_ref: orNull(
            z.object({ child_loop_name: text, child_tool_call_id: text, description: orNull(text) }),
          ),
        })
        .meta({ id: 'ToolCallProjection' }),
    ),
    model: orNull(text),
    usage: orNull(z.object({ input_tokens: count, output_tokens: count })),
    duration_ms: count,
    started_at: orNull(time),
    context_window: count,
    memory_refs: orNull(
      z.array(z.object({ id: z.int(), content_preview: text, skill_name: orNull(text) }).meta({ id: 'MemoryRef' })),
    ),
    parent_fork_tool_call_id: orNull(text),
    failure_reason: text.optional(),
    attachments: z
      .array(z.object({ type: z.enum(['image', 'file']), name: orNull(text), path: orNull(text), url: orNull(text) }))
      .optional(),
    compaction_id: orNull(text).optional(),
    summary_preview: orNull(text).optional(),
    summary_full: orNull(text).optional(),
    archived_count: orNull(count).optional(),
    tokens_before: orNull(count).optional(),
    tokens_after: orNull(count).optional(),
    saved_ratio: orNull(z.number()).optional(),
    trigger: orNull(z.enum(['auto', 'manual', 'forced_retry'])).optional(),
  })
  .meta({ id: 'TurnProjection' }) satisfies z.ZodType<TurnProjection>

export const memorySchema = z
  .object({
    id: z.int(),
    type: z.enum(['feedback', 'experience']),
    content: text,
    skill_name: orNull(text),
    record_type: orNull(z.enum(['memory', 'skill_comment'])),
    scope: orNull(text),
    owner: orNull(text),
    topic: orNull(text),
    mem0_id: orNull(text),
    superseded_by: orNull(z.int()),
    write_reason: orNull(text),
    created_at: time,
    updated_at: orNull(time),
    hit_count: count,
    last_hit_at: orNull(time),
    disabled: z.boolean(),
    source_session: text.meta({ description: 'Empty where the user wrote it down.' }),
  })
  .meta({ id: 'Memory' })

const apiKey = z.object({
  id: text,
  name: text,
  masked: text,
  plaintext: z.null(),
  created_at: time,
  last_used_at: orNull(time),
})
export const apiKeySchema = apiKey.meta({ id: 'ApiKey' })
export const newApiKeySchema = apiKey
  .extend({ plaintext: text.meta({ description: 'The key itself. It is shown this once.' }), key: apiKeySchema })
  .meta({ id: 'NewApiKey' })

/** As they are sent: nothing of them is changed any more. */
export type SessionDetail = Session & {
  readonly solution: Solution | null
  readonly primary_skill_snapshot: null
  readonly session_setup: {
    readonly mode: 'planning' | 'executing'
    readonly layout_type: string
    readonly initial_message: string | null
    readonly disable_tools: readonly string[]
  }
  readonly viewer_role: 'owner' | 'viewer'
}
export type Solution = Readonly<z.output<typeof solutionSchema>>
export type WireMemory = Readonly<z.output<typeof memorySchema>>
export type ApiKey = Readonly<z.output<typeof apiKeySchema>>

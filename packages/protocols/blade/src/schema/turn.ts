import { z } from 'zod'
import { anyJson, time } from './fields.ts'

const count = z.int().min(0)
const orNull = <S extends z.ZodType>(schema: S) => schema.nullable()

export const turnStatusSchema = z.enum(['streaming', 'completed', 'paused', 'failed', 'interrupted'])
export const toolCallStatusSchema = z.enum(['pending', 'done', 'error', 'cancelled', 'awaiting_answer'])

export const contentBlockSchema = z
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
    content: anyJson,
    tool_call_id: orNull(z.string()),
    tool_name: orNull(z.string()),
    display_name: orNull(z.string()),
  })
  .meta({ id: 'ContentBlock' })

export const pendingQuestionSchema = z
  .object({ child_loop_name: z.string(), child_tool_call_id: z.string(), description: orNull(z.string()) })
  .meta({ id: 'PendingQuestionRef', description: 'A sub-agent of this call waits for the user.' })

export const toolCallSchema = z
  .object({
    id: z.string(),
    tool_name: z.string(),
    display_name: z.string(),
    arguments: z.string().describe('JSON text.'),
    status: toolCallStatusSchema,
    result: anyJson,
    duration_ms: orNull(count),
    pending_question_ref: orNull(pendingQuestionSchema),
  })
  .meta({ id: 'ToolCallProjection' })

export const memoryRefSchema = z
  .object({ id: z.int(), content_preview: z.string(), skill_name: orNull(z.string()) })
  .meta({ id: 'MemoryRef' })

export const attachmentSchema = z
  .object({
    type: z.enum(['image', 'file']),
    name: orNull(z.string()),
    path: orNull(z.string()),
    url: orNull(z.string()),
  })
  .meta({ id: 'Attachment' })

/** Present only where `kind` is `compaction`. */
const compactionFields = {
  compaction_id: orNull(z.string()).optional(),
  summary_preview: orNull(z.string()).optional(),
  summary_full: orNull(z.string()).optional(),
  archived_count: orNull(count).optional(),
  tokens_before: orNull(count).optional(),
  tokens_after: orNull(count).optional(),
  saved_ratio: orNull(z.number()).optional().describe('1 − tokens_after / tokens_before.'),
  trigger: orNull(z.enum(['auto', 'manual', 'forced_retry'])).optional(),
}

export const turnSchema = z
  .object({
    id: z.string(),
    sequence: count.describe('Its place in the session, from 0.'),
    turn_id: z.string(),
    loop_id: z.string().describe('`root` for the agent itself.'),
    kind: z.enum(['message', 'compaction']),
    role: z.enum(['user', 'assistant', 'system']),
    status: turnStatusSchema,
    blocks: z.array(contentBlockSchema),
    tool_calls: z.array(toolCallSchema).describe('In the order in which the model declared them.'),
    model: orNull(z.string()),
    usage: orNull(z.object({ input_tokens: count, output_tokens: count })),
    duration_ms: count.describe('0 while the turn streams.'),
    started_at: orNull(time),
    context_window: orNull(count).describe('In tokens; null where it is not known.'),
    memory_refs: orNull(z.array(memoryRefSchema)),
    parent_fork_tool_call_id: orNull(z.string()).describe('The call whose sub-agent this turn belongs to.'),
    failure_reason: z.string().optional(),
    attachments: z.array(attachmentSchema).optional().describe('Images and files that the user sent.'),
    ...compactionFields,
  })
  .meta({ id: 'TurnProjection' })

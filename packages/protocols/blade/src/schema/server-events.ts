import { z } from 'zod'
import { anyJson } from './fields.ts'
import { sessionSchema } from './session.ts'
import {
  contentBlockSchema,
  memoryRefSchema,
  pendingQuestionSchema,
  toolCallSchema,
  toolCallStatusSchema,
  turnSchema,
  turnStatusSchema,
} from './turn.ts'

const { type, content, tool_call_id, tool_name, display_name } = contentBlockSchema.shape

/** `content` is the whole block so far, beside a `text_delta` too. Lean clients get the delta alone. */
export const addedContentSchema = z.object({
  type,
  content: content.optional(),
  text_delta: z.string().optional(),
  tool_call_id: tool_call_id.optional(),
  tool_name: tool_name.optional(),
  display_name: display_name.optional(),
})

const addedToolCall = toolCallSchema.pick({
  id: true,
  tool_name: true,
  display_name: true,
  arguments: true,
  status: true,
})

const settledToolCall = toolCallSchema.pick({ result: true, status: true, duration_ms: true }).extend({
  tool_call_id: toolCallSchema.shape.id,
})

const changedToolStatus = z.object({
  tool_call_id: toolCallSchema.shape.id,
  status: toolCallStatusSchema,
  pending_question_ref: pendingQuestionSchema.nullable().optional(),
})

const patches = [
  z.object({ patch_type: z.literal('add_content'), data: addedContentSchema }),
  z.object({ patch_type: z.literal('add_tool_call'), data: addedToolCall }),
  z.object({ patch_type: z.literal('tool_result'), data: settledToolCall }),
  z.object({ patch_type: z.literal('set_status'), data: z.object({ status: turnStatusSchema }) }),
  z.object({ patch_type: z.literal('set_tool_status'), data: changedToolStatus }),
] as const

export const patchSchema = z.discriminatedUnion('patch_type', patches)

/** `sequence` counts the patches of the session from 1. `data.turn` is the whole turn after the patch. */
export const patchEnvelopeSchema = z.intersection(
  patchSchema,
  z.object({
    session_id: z.string(),
    sequence: z.int().min(1),
    turn_id: z.string(),
    loop_id: z.string(),
    data: z.object({ turn: turnSchema.optional() }),
  }),
)

/** A turn with the fields that only `turn:start` and `turn:end` have. */
export const turnPayloadSchema = turnSchema.extend({
  session_id: z.string(),
  solution_id: z.string().nullable(),
  template_id: z.null(),
})

export const chatEndSchema = z.object({
  session_id: z.string(),
  status: z.enum(['completed', 'interrupted', 'failed']),
  result: z.object({ output: anyJson, schema: anyJson.optional() }).nullable().describe('Of a headless run.'),
  finish_reason: z.enum(['completed', 'max_turns', 'tool_error']).nullable(),
})

export const systemErrorSchema = z.object({
  message: z.string(),
  session_id: z.string().nullable(),
  code: z.string(),
  detail: z.string().nullable(),
})

export const systemNotificationSchema = z.object({
  session_id: z.string().nullable(),
  notification_type: z.string(),
  title: z.string(),
  detail: z.string().nullable(),
  status: z.enum(['error', 'warning', 'info']),
  run_id: z.string().optional().describe('The run that it is about: of a message that was dropped from the queue.'),
})

const queueLength = z.int().min(0).describe('How many messages wait for the run to end.')

/** Every event that the server sends, by its name. */
export const serverEventSchemas = {
  'chat:start': z.object({ session_id: z.string(), run_id: z.string() }),
  'turn:start': turnPayloadSchema,
  'turn:patch': patchEnvelopeSchema,
  'turn:end': turnPayloadSchema,
  'chat:end': chatEndSchema,
  'session:created': sessionSchema.extend({ session_id: z.string(), queue: queueLength }),
  'session:updated': sessionSchema.partial().extend({ session_id: z.string(), queue: queueLength.optional() }),
  'session:deleted': z.object({ session_id: z.string() }),
  'workspace:files_changed': z.object({ session_id: z.string(), file_path: z.string().nullable() }),
  'system:error': systemErrorSchema,
  'system:notification': systemNotificationSchema,
  'memory:inject:done': z.object({
    session_id: z.string(),
    turn_id: z.string(),
    memory_refs: z.array(memoryRefSchema),
  }),
}

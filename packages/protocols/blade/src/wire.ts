/**
 * The objects of Blade's core types, as they go over the wire. Whatever may be absent is written as `null`. No import of
 * Node or of the engine: browsers use this file too.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

export type SessionStatus = 'created' | 'running' | 'completed' | 'failed' | 'interrupted' | 'waiting_for_input'

export interface Session {
  readonly id: string
  readonly intent: string
  readonly status: SessionStatus
  readonly created_at: string
  readonly updated_at: string
  readonly user_id: string
  readonly solution_id: string | null
  readonly biz_role_id: string | null
  readonly model: string | null
  readonly shared: boolean
  readonly is_pinned: boolean
  readonly memory_enabled: boolean
  readonly is_persistent: boolean
  readonly replay_state: Json
}

export type TurnStatus = 'streaming' | 'completed' | 'paused' | 'failed' | 'interrupted'

/** One entry of the conversation: what a user said, one call of the model, a remark, a compaction. */
export interface TurnProjection extends CompactionFields {
  readonly id: string
  /** Its place in the session, from 0. */
  readonly sequence: number
  readonly turn_id: string
  /** `root` for the agent itself. */
  readonly loop_id: string
  readonly kind: 'message' | 'compaction'
  readonly role: 'user' | 'assistant' | 'system'
  readonly status: TurnStatus
  readonly blocks: readonly ContentBlock[]
  /** In the order in which the model declared them. */
  readonly tool_calls: readonly ToolCallProjection[]
  readonly model: string | null
  readonly usage: TokenUsage | null
  /** 0 while it streams. */
  readonly duration_ms: number
  readonly started_at: string | null
  readonly context_window: number
  readonly memory_refs: readonly MemoryRef[] | null
  /** The call whose sub-agent this turn belongs to. */
  readonly parent_fork_tool_call_id: string | null
  readonly failure_reason?: string
  /** Images and files that a user sent along. */
  readonly attachments?: readonly Attachment[]
}

/** Only where `kind` is `compaction`. */
export interface CompactionFields {
  readonly compaction_id?: string | null
  readonly summary_preview?: string | null
  readonly summary_full?: string | null
  readonly archived_count?: number | null
  readonly tokens_before?: number | null
  readonly tokens_after?: number | null
  /** 1 − after / before. */
  readonly saved_ratio?: number | null
  readonly trigger?: 'auto' | 'manual' | 'forced_retry' | null
}

export interface TokenUsage {
  readonly input_tokens: number
  readonly output_tokens: number
}

export interface Attachment {
  readonly type: 'image' | 'file'
  readonly name: string | null
  readonly path: string | null
  readonly url: string | null
}

export type ContentBlockType =
  | 'text'
  | 'thinking'
  | 'tool_use'
  | 'tool_result'
  | 'tool_ui'
  | 'tool_bridge'
  | 'system_notification'
  | 'mode_change'
  | 'planning_enter'
  | 'planning_exit'
  | 'plan_status'
  | 'ask_user_answer'

export interface ContentBlock {
  readonly type: ContentBlockType
  readonly content: Json
  readonly tool_call_id: string | null
  readonly tool_name: string | null
  readonly display_name: string | null
}

export type ToolCallStatus = 'pending' | 'done' | 'error' | 'cancelled' | 'awaiting_answer'

export interface ToolCallProjection {
  readonly id: string
  readonly tool_name: string
  readonly display_name: string
  /** JSON text. */
  readonly arguments: string
  readonly status: ToolCallStatus
  readonly result: Json
  readonly duration_ms: number | null
  readonly pending_question_ref: PendingQuestionRef | null
}

/** A sub-agent of this call waits for the user. */
export interface PendingQuestionRef {
  readonly child_loop_name: string
  readonly child_tool_call_id: string
  readonly description: string | null
}

export interface MemoryRef {
  readonly id: number
  readonly content_preview: string
  readonly skill_name: string | null
}

export type Patch =
  | { readonly patch_type: 'add_content'; readonly data: AddedContent }
  | { readonly patch_type: 'add_tool_call'; readonly data: AddedToolCall }
  | { readonly patch_type: 'tool_result'; readonly data: SettledToolCall }
  | { readonly patch_type: 'set_status'; readonly data: { readonly status: TurnStatus } }
  | { readonly patch_type: 'set_tool_status'; readonly data: ChangedToolStatus }

/** Payload of `turn:patch`. `sequence` counts the patches of the session from 1. */
export type PatchEnvelope = Patch & {
  readonly session_id: string
  readonly sequence: number
  readonly turn_id: string
  readonly loop_id: string
  /** The whole turn after the patch; lean clients do without, and so do deltas of long turns. */
  readonly data: { readonly turn?: TurnProjection }
}

/** `content` is the whole block so far, beside a `text_delta` too; only lean clients do without. */
export interface AddedContent {
  readonly type: ContentBlockType
  readonly content?: Json
  readonly text_delta?: string
  readonly tool_call_id?: string | null
  readonly tool_name?: string | null
  readonly display_name?: string | null
}

export interface AddedToolCall {
  readonly id: string
  readonly tool_name: string
  readonly display_name: string
  readonly arguments: string
  readonly status: ToolCallStatus
}

export interface SettledToolCall {
  readonly tool_call_id: string
  readonly result: Json
  readonly status: ToolCallStatus
  readonly duration_ms: number | null
}

export interface ChangedToolStatus {
  readonly tool_call_id: string
  readonly status: ToolCallStatus
  readonly pending_question_ref?: PendingQuestionRef | null
}

export interface AskUserAnswer {
  readonly tool_call_id: string
  /** Indexes of the options chosen, by the index of the question. */
  readonly selections: { readonly [question: string]: readonly number[] }
  readonly custom: { readonly [question: string]: string }
}

/** What the server tells a session's subscribers. */
export interface ServerEvents {
  'chat:start': { readonly session_id: string; readonly run_id: string }
  'turn:start': ToldTurn
  'turn:patch': PatchEnvelope
  'turn:end': ToldTurn
  'chat:end': ChatEnd
  'session:updated': { readonly session_id: string } & Partial<Session>
  'workspace:files_changed': { readonly session_id: string; readonly file_path: string | null }
  'system:error': SystemError
  'system:notification': SystemNotification
  'memory:inject:done': {
    readonly session_id: string
    readonly turn_id: string
    readonly memory_refs: readonly MemoryRef[]
  }
}

/** A turn with what only its start and its end say. */
export type ToldTurn = TurnProjection & {
  readonly session_id: string
  readonly solution_id: string | null
  readonly template_id: null
}

export interface ChatEnd {
  readonly session_id: string
  readonly status: 'completed' | 'interrupted' | 'failed'
  /** Of a headless run. */
  readonly result: { readonly output: Json; readonly schema?: Json } | null
  readonly finish_reason: 'completed' | 'max_turns' | 'tool_error' | null
}

export interface SystemError {
  readonly message: string
  readonly session_id: string | null
  readonly code: string
  readonly detail: string | null
}

export interface SystemNotification {
  readonly session_id: string | null
  readonly notification_type: string
  readonly title: string
  readonly detail: string | null
  readonly status: 'error' | 'warning' | 'info'
}

/** One event for a session's subscribers. */
export type BladeOutput = {
  readonly [Name in keyof ServerEvents]: { readonly event: Name; readonly payload: ServerEvents[Name] }
}[keyof ServerEvents]

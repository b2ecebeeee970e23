// The wire types as in the protocol's documents. Deliberately independent of the product's types.

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | ToolUse
  | { readonly type: 'image'; readonly url: string }

export interface ToolCall {
  readonly toolCallId: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

export interface ToolUse extends ToolCall {
  readonly type: 'tool_use'
}

export type Content = string | readonly Block[]

export interface ToolMessage {
  readonly role: 'tool'
  readonly toolCallId: string
  readonly content: Content
}

export interface Permission {
  readonly role: 'tool_permission'
  readonly toolCallId: string
  readonly granted: boolean
  readonly reason?: string
}

export interface UserMessage {
  readonly role: 'user'
  readonly content: Content
}

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: Content
}

export type HistoryMessage =
  | { readonly role: 'system'; readonly content: string }
  | UserMessage
  | AssistantMessage
  | ToolMessage

export type TurnMessage = UserMessage | ToolMessage | Permission

/** `parameters` in v3, `inputSchema` in v1. */
export interface ToolSpec {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly inputSchema?: Readonly<Record<string, unknown>>
}

export interface ServerToolRef {
  readonly name: string
  readonly trust?: boolean
}

export interface AgentConfig {
  readonly name: string
  readonly tools?: readonly ServerToolRef[]
  readonly options?: Readonly<Record<string, string>>
}

export interface AgentOption {
  readonly type: string
  readonly name: string
  readonly default: string
  readonly options?: readonly string[]
}

export interface AgentInfo {
  readonly name: string
  readonly version: string
  readonly tools?: readonly ToolSpec[]
  readonly options?: readonly AgentOption[]
  readonly capabilities?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export interface Meta {
  readonly version: number
  readonly agents: readonly AgentInfo[]
}

export interface History {
  readonly compacted?: readonly HistoryMessage[]
  readonly full?: readonly HistoryMessage[]
}

/** `history` in v1 only. */
export interface SessionInfo {
  readonly sessionId: string
  readonly agent: AgentConfig
  readonly tools?: readonly ToolSpec[]
  readonly history?: History
}

/** Session objects in v3, ids in v1. */
export interface SessionList {
  readonly sessions: readonly (SessionInfo | string)[]
  readonly next?: string
}

export type StreamMode = 'delta' | 'message' | 'none'

export interface TurnAnswer {
  /** Only in the answer to creating a session in v1. */
  readonly sessionId?: string
  readonly stopReason: string
  readonly messages: readonly (AssistantMessage | ToolMessage)[]
  readonly error?: { readonly message: string }
}

export interface Refusal {
  readonly error: string
}

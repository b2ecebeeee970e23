import type { JsonObject } from '@polylogue/engine'

/** The shapes that leave through this door, as both published schemas write them. Requests are in `requests.ts`. */
export type AapVersion = 1 | 3

export const STREAM_MODES = ['delta', 'message', 'none'] as const
export type StreamMode = (typeof STREAM_MODES)[number]

export const HISTORY_TYPES = ['compacted', 'full'] as const
export type HistoryType = (typeof HISTORY_TYPES)[number]

export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'refusal' | 'error'

export type WireBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | { readonly type: 'tool_use'; readonly toolCallId: string; readonly name: string; readonly input: JsonObject }
  | { readonly type: 'image'; readonly url: string }

export type WireContent = string | readonly WireBlock[]

export type WireMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: WireContent }
  | { readonly role: 'assistant'; readonly content: WireContent }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: WireContent }

/** `cancelled` and `error` are ours; clients that do not know them ignore them. */
export interface TurnStop {
  readonly stopReason: StopReason
  readonly cancelled?: true
  readonly error?: { readonly message: string }
}

export type WireEvent =
  | { readonly event: 'session_start'; readonly sessionId: string }
  | { readonly event: 'turn_start' }
  | { readonly event: 'text_delta'; readonly delta: string }
  | { readonly event: 'thinking_delta'; readonly delta: string }
  | { readonly event: 'text'; readonly text: string }
  | { readonly event: 'thinking'; readonly thinking: string }
  | { readonly event: 'tool_call'; readonly toolCallId: string; readonly name: string; readonly input: JsonObject }
  | { readonly event: 'tool_result'; readonly toolCallId: string; readonly content: WireContent }
  | ({ readonly event: 'turn_stop' } & TurnStop)
  | { readonly event: 'resync' }

/** The schema of the arguments is `parameters` in version 3 and `inputSchema` in version 1. */
export type WireToolSpec = {
  readonly name: string
  readonly title?: string
  readonly description: string
} & ({ readonly parameters: JsonObject } | { readonly inputSchema: JsonObject })

export interface WireAgentConfig {
  readonly name: string
  readonly tools?: readonly { readonly name: string; readonly trust?: boolean }[]
  readonly options?: { readonly [name: string]: string }
}

export interface WireSession {
  readonly sessionId: string
  readonly agent: WireAgentConfig
  readonly tools?: readonly WireToolSpec[]
}

export type WireHistory = { readonly [type in HistoryType]?: readonly WireMessage[] }

export interface WireAgentOption {
  readonly type: 'text' | 'secret' | 'select'
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly options?: readonly string[]
  readonly default: string
}

/** Being there means supported. */
type Supported = Record<string, never>

export interface WireCapabilities {
  readonly history?: { readonly [type in HistoryType]?: Supported }
  readonly stream?: { readonly [mode in StreamMode]?: Supported }
  readonly application?: { readonly tools: Supported }
  readonly image?: { readonly http?: Supported; readonly data?: Supported }
}

export interface WireAgent {
  readonly name: string
  readonly title?: string
  readonly version: string
  readonly description?: string
  readonly tools?: readonly WireToolSpec[]
  readonly options?: readonly WireAgentOption[]
  readonly capabilities?: WireCapabilities
}

export interface WireMeta {
  readonly version: AapVersion
  readonly agents: readonly WireAgent[]
}

export interface WireTurnResponse extends TurnStop {
  readonly sessionId?: string
  readonly messages: readonly WireMessage[]
}

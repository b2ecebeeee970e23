import type { ToolCallId } from './ids.ts'
import type { JsonObject, JsonValue } from './json.ts'

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/** What only the model that wrote a block understands (signatures, encrypted reasoning). Left out for another model. */
export interface OpaqueData {
  readonly model: string
  readonly value: JsonValue
}

export interface ThinkingPart {
  readonly type: 'thinking'
  readonly text: string
  readonly opaque?: OpaqueData
}

export interface ImagePart {
  readonly type: 'image'
  readonly source: ImageSource
}

/** Bytes never travel inside events: they are blobs of the session, named by the SHA-256 of their content. */
export type ImageSource =
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'blob'; readonly hash: string; readonly mediaType: string }

export interface ToolCallPart {
  readonly type: 'tool-call'
  readonly toolCallId: ToolCallId
  readonly name: string
  readonly input: JsonObject
  readonly opaque?: OpaqueData
}

/** A plain string and a list of parts are both kept as they were given, so that histories come back unchanged. */
export type UserContent = string | readonly (TextPart | ImagePart)[]
export type AssistantContent = string | readonly AssistantPart[]
export type ToolContent = string | readonly (TextPart | ImagePart)[]

export type AssistantPart = TextPart | ThinkingPart | ImagePart | ToolCallPart

/** What a model step produces, in the order in which it was produced. */
export type StepBlock = TextPart | ThinkingPart | ToolCallPart

export type SeedMessage =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly content: UserContent }
  | { readonly role: 'assistant'; readonly content: AssistantContent }
  | { readonly role: 'tool'; readonly toolCallId: ToolCallId; readonly content: ToolContent }

/** What a model call took, as its provider counted. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Of the input: what the provider had in its cache. */
  readonly cachedInputTokens?: number
  /** Of the input: what it put into its cache. */
  readonly cacheWriteTokens?: number
  /** Of the output: what the model only thought. */
  readonly reasoningTokens?: number
  /** By the price of the moment. Absent: nobody knows the price; never the same as nothing. */
  readonly cost?: Cost
}

/** Billionths of a unit of a currency. */
export interface Cost {
  readonly nano: number
  readonly currency: string
}

export function textOf(content: UserContent | AssistantContent | ToolContent): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

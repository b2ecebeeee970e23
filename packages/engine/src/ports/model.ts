import type { AssistantContent, OpaqueData, ToolContent, Usage, UserContent } from '../content.ts'
import type { ToolCallId } from '../ids.ts'
import type { JsonObject } from '../json.ts'
import type { Failure } from '../events/recorded-event.ts'
import type { StepFinish } from '../events/step-events.ts'

export interface Model {
  /**
   * Contract: never rejects. The last output is `finished` or `failed`; a stream that ends without either counts as
   * failed. Stops soon after `signal` aborts, and may then end without a last output.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelOutput>
  /** The context window in tokens, if known. */
  readonly contextWindow?: number
  /**
   * Counts the tokens of a text. Absent: estimated from the length. Contract: never rejects, and yields to the event
   * loop on long texts.
   */
  countTokens?(text: string): Promise<number>
  /** How much it can be told to think, the least first. Absent: it cannot be told. */
  readonly thinkingLevels?: readonly string[]
  /** The most tokens that an image takes. Default: 1,000. */
  readonly tokensPerImage?: number
}

export interface ModelRequest {
  readonly system: string
  /** Provider-valid: every tool call is followed by exactly one result before the next user or assistant message. */
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly OfferedTool[]
  /** The session's effective options with defaults filled in. Secrets are in plain text: never log this object. */
  readonly options: { readonly [name: string]: string }
  readonly secretOptions: readonly string[]
  /** How much to think. A model ignores a level that is not one of its own. Absent: as it does by default. */
  readonly thinking?: string
  /** Model steps since the last user message; 0 for the first. */
  readonly step: number
  /** `summary`: the request is part of a compaction. */
  readonly purpose: 'answer' | 'summary'
  /** Returns the bytes of an image that a message refers to by hash. */
  readBlob(hash: string): Promise<Uint8Array>
}

export type ModelMessage =
  /** `isAfterStop`: the user stopped the turn before this message. */
  | { readonly role: 'user'; readonly content: UserContent; readonly isAfterStop?: true }
  | { readonly role: 'assistant'; readonly content: AssistantContent; readonly model?: string }
  | {
      readonly role: 'tool'
      readonly toolCallId: ToolCallId
      readonly name: string
      readonly content: ToolContent
      readonly isError: boolean
    }

export interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}

export type ModelOutput =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  /** Attaches to the most recently opened block. Used for signatures and similar data. */
  | { readonly type: 'opaque'; readonly data: OpaqueData }
  /** A piece of the input of a call that the model is writing. The complete call follows, with the same id. */
  | { readonly type: 'tool-input'; readonly id: string; readonly name: string; readonly text: string }
  /** The call of the model failed and is made again. Only pieces of calls were sent so far, and they are void. */
  | { readonly type: 'retry'; readonly error: Failure; readonly delayMs: number }
  /** A complete call. `input` is what the model wrote, parsed if it was JSON. */
  | {
      readonly type: 'tool-call'
      readonly id: string
      readonly name: string
      readonly input: unknown
      readonly opaque?: OpaqueData
    }
  | { readonly type: 'finished'; readonly finish: StepFinish; readonly usage: Usage }
  /** `usage`: the tokens that the failed call used, if the provider reported them. */
  | { readonly type: 'failed'; readonly error: Failure; readonly usage?: Usage }

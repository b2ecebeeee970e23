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
  /** How many tokens of input it takes, where that is known. */
  readonly contextWindow?: number
  /** How many tokens a text is. Absent: guessed from its length. Contract: never rejects, gives way on long texts. */
  countTokens?(text: string): Promise<number>
  /** The most that an image takes of the window; 1,000 unless said. */
  readonly tokensPerImage?: number
}

export interface ModelRequest {
  readonly system: string
  /** Provider-valid: every tool call is followed by exactly one result before the next user or assistant message. */
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly OfferedTool[]
  /** The session's effective options, defaults filled in, secrets in plain text. Never log this object. */
  readonly options: { readonly [name: string]: string }
  readonly secretOptions: readonly string[]
  /** Model steps since the last user message, 0 for the first. */
  readonly step: number
  /** A `summary` is asked for when a context is compacted. */
  readonly purpose: 'answer' | 'summary'
  /** Bytes of an image that a message refers to by hash. */
  readBlob(hash: string): Promise<Uint8Array>
}

export type ModelMessage =
  | { readonly role: 'user'; readonly content: UserContent }
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
  /** Attaches to the block that was open last; for signatures and the like. */
  | { readonly type: 'opaque'; readonly data: OpaqueData }
  /** A complete call. `input` is whatever the model wrote, parsed if it was JSON. */
  | {
      readonly type: 'tool-call'
      readonly id: string
      readonly name: string
      readonly input: unknown
      readonly opaque?: OpaqueData
    }
  | { readonly type: 'finished'; readonly finish: StepFinish; readonly usage: Usage }
  /** `usage`: what it took all the same, where the provider said so. */
  | { readonly type: 'failed'; readonly error: Failure; readonly usage?: Usage }

import type { ToolContent } from '../content.ts'
import type { SessionId, ToolCallId, UserId } from '../ids.ts'
import type { JsonObject } from '../json.ts'

/** `readonly`: no effect. `idempotent`: may run twice. `unsafe`: never run again when its outcome is unknown. */
export type ToolEffect = 'readonly' | 'idempotent' | 'unsafe'

export interface Tool {
  readonly name: string
  readonly title?: string
  readonly description: string
  /** JSON Schema of the input object, without `$schema`. */
  readonly parameters: JsonObject
  readonly effect: ToolEffect
  /** Clients may see, enable and trust an exposed tool. An unexposed one is the agent's own business. */
  readonly exposed: boolean
  /** Contract: no effects, never throws. The checked input is what `run` gets. */
  check(input: JsonObject): InputCheck
  /**
   * Contract: may reject; the rejection's message becomes the result of the call. Stops soon after `signal` aborts.
   * It is called only after the call was recorded as started.
   */
  run(invocation: ToolInvocation): Promise<ToolOutput>
}

export type InputCheck =
  | { readonly ok: true; readonly input: unknown }
  /** `problem` names the field and says what is wrong; the model reads it. */
  | { readonly ok: false; readonly problem: string }

export interface ToolInvocation {
  readonly sessionId: SessionId
  readonly userId: UserId
  /** Also the idempotency key for whatever the tool calls. */
  readonly toolCallId: ToolCallId
  readonly input: unknown
  readonly attempt: number
  readonly signal: AbortSignal
}

export interface ToolOutput {
  readonly content: ToolContent
  readonly isError?: boolean
}

import type { StreamMode, WireContent, WireMessage, WireToolSpec } from '../wire.ts'

/** What a client sends in a turn: one user message, or answers to calls that wait. */
export type TurnMessage =
  | { readonly role: 'user'; readonly content: WireContent }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: WireContent }
  | {
      readonly role: 'tool_permission'
      readonly toolCallId: string
      readonly granted: boolean
      readonly reason?: string
    }

export interface AgentChanges {
  readonly tools?: readonly { readonly name: string; readonly trust?: boolean }[]
  readonly options?: { readonly [name: string]: string }
}

export interface NewSession {
  readonly agent: AgentChanges & { readonly name: string }
  /** Tools that the client runs. */
  readonly tools?: readonly WireToolSpec[]
  readonly messages?: readonly WireMessage[]
}

export interface NewTurn {
  readonly messages: readonly TurnMessage[]
  readonly stream?: StreamMode
  readonly agent?: AgentChanges
  readonly tools?: readonly WireToolSpec[]
  /**
   * With a key, a request whose answer was lost is sent again and finds the turn that it began. Only for servers that
   * know `Idempotency-Key`: others would run the turn twice.
   */
  readonly idempotencyKey?: string
}

/** Version 1: a session and its first turn in one request. */
export type FirstTurn = Pick<NewSession, 'agent' | 'tools'> & {
  /** A seed, if any, and the user's message at the end. */
  readonly messages: readonly (WireMessage | TurnMessage)[]
  readonly stream?: StreamMode
}

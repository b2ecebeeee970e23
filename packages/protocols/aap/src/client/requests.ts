import type { StreamMode, WireAgentConfig, WireMessage, WirePermission, WireToolSpec } from '../wire.ts'

/** What a client sends in a turn: one user message, or answers to calls that wait. */
export type TurnMessage = Extract<WireMessage, { role: 'user' | 'tool' }> | WirePermission

/** What a request changes for the rest of the session. */
export type AgentChanges = Pick<WireAgentConfig, 'tools' | 'options'>

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
  /** Whether it is sent again. `auto`: only to a server that has returned a key, or sent an event with an id. */
  readonly repeat?: 'always' | 'auto'
}

/** Version 1: a session and its first turn in one request. */
export type FirstTurn = Pick<NewSession, 'agent' | 'tools'> & {
  /** A seed, if any, and the user's message at the end. */
  readonly messages: readonly (WireMessage | TurnMessage)[]
  readonly stream?: StreamMode
  readonly idempotencyKey?: string
  readonly repeat?: NewTurn['repeat']
}

import type { RecordedEvent } from '../events/recorded-event.ts'
import type { TurnId } from '../ids.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import type { Digest, Ids } from '../ports/ids.ts'
import type { EngineLimits } from '../engine-parts.ts'

/** The context that the pure part of the engine uses besides the state. */
export interface DecideContext {
  readonly agent: AgentDefinition
  readonly ids: Ids
  readonly digest: Digest
  readonly recovery: 'continue' | 'interrupt'
  readonly limits?: EngineLimits
  /** Whether a session may use this model. */
  isKnownModel(name: string): boolean
  /** The problem with the `outputSchema` of the turn that is about to start. */
  readonly outputProblem?: string
}

/** The result of a command: events to record, and data to store in the same transaction. */
export interface Decision {
  readonly events: readonly RecordedEvent[]
  /** Names that must be new in the session. */
  readonly names?: readonly string[]
  /** Secret options in plain text. They are sealed before they are stored. */
  readonly secrets?: { readonly [name: string]: string }
}

/** A decision that starts or resumes a turn. `firstEvent` is the index of the event at which the answer starts. */
export interface TurnDecision extends Decision {
  readonly turnId: TurnId
  readonly firstEvent: number
  readonly queued: boolean
}

import type { RecordedEvent } from '../events/recorded-event.ts'
import type { TurnId } from '../ids.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import type { Digest, Ids } from '../ports/ids.ts'
import type { EngineLimits } from '../engine-parts.ts'

/** What the pure part of the engine may look at besides the state. */
export interface DecideContext {
  readonly agent: AgentDefinition
  readonly ids: Ids
  readonly digest: Digest
  readonly recovery: 'continue' | 'interrupt'
  readonly limits?: EngineLimits
  /** Whether a session may have this model. */
  isKnownModel(name: string): boolean
  /** What is wrong with the `outputSchema` of the turn that is to begin. */
  readonly outputProblem?: string
}

/** What a command leads to: facts to record, and what must be stored in the same transaction. */
export interface Decision {
  readonly events: readonly RecordedEvent[]
  /** Names that must be new in the session. */
  readonly names?: readonly string[]
  /** Secret options in plain text; they are sealed before they are stored. */
  readonly secrets?: { readonly [name: string]: string }
}

/** A decision that begins or resumes a turn: `firstEvent` is the index of the event where its answer begins. */
export interface TurnDecision extends Decision {
  readonly turnId: TurnId
  readonly firstEvent: number
  readonly queued: boolean
}

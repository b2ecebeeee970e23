import type { Preset } from '../events/session-settings.ts'
import type { InstructionSource } from '../events/turn-events.ts'
import type { SessionId, UserId } from '../ids.ts'
import type { Workspace } from './tool.ts'

/** Describes the place where a session works: its directory, the machine, and files with instructions for agents. */
export interface Surroundings {
  /**
   * Returns what the model is told, or `undefined` if the description with the fingerprint `known` still holds. Called
   * before the first model call of each turn.
   * Contract: bounded in time and size; has no effect but to note which files the user has trusted. May reject; the turn then keeps the former description.
   */
  describe(place: Place, known: string | undefined): Promise<Description | undefined>
}

export interface Place {
  readonly sessionId: SessionId
  readonly userId: UserId
  readonly workspace: Workspace
  readonly preset: Preset
}

export interface Description {
  readonly fingerprint: string
  readonly text: string
  readonly sources: readonly InstructionSource[]
}

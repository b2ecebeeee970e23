import type { UserContent } from '../content.ts'
import type { CallRoute, ClientTool, Preset, StepFinish, ToolAccess, TurnOutcome } from '../events/recorded-event.ts'
import type { EntryId, LoopId, SessionId, ToolCallId, TurnId, UserId } from '../ids.ts'
import type { JsonObject } from '../json.ts'

/**
 * What decisions need to know of a session: a fold of its log, small whatever the log's length. The conversation itself
 * is not here; `views/` fold it when somebody wants to see it.
 */
export interface SessionState {
  readonly seq: number
  readonly sessionId: SessionId
  readonly userId: UserId
  readonly agent: string
  readonly access: ToolAccess
  readonly clientTools: readonly ClientTool[]
  readonly options: { readonly [name: string]: string }
  readonly secretOptions: readonly string[]
  readonly preset: Preset
  readonly title?: string
  /** The newest entry of the active branch: the parent of the next one. */
  readonly head?: EntryId
  /** Inputs that were admitted while a turn was active, oldest first. */
  readonly queue: readonly QueuedInput[]
  readonly turn?: ActiveTurn
  /** Calls of a seeded history that nobody has answered; the turn that continues it takes them over. */
  readonly seededCalls: readonly OpenCall[]
  readonly lastOutcome?: TurnOutcome
  readonly createdAt: number
  readonly updatedAt: number
}

export interface QueuedInput {
  readonly inputId: EntryId
  readonly turnId: TurnId
  readonly content: UserContent
}

export interface ActiveTurn {
  readonly turnId: TurnId
  /** `waiting`: every open call needs a human or a client, and nobody owns the turn. */
  readonly status: 'running' | 'waiting'
  readonly recovery: 'continue' | 'interrupt'
  readonly takeovers: number
  /** Why it was cancelled; the runner ends it as soon as it sees this. */
  readonly cancelled?: string
  /** Model steps answered since the input. */
  readonly answeredSteps: number
  readonly step?: ActiveStep
}

export interface ActiveStep {
  readonly stepId: EntryId
  readonly loopId: LoopId
  readonly stepSeq: number
  /** `asking`: the model has not answered. `settling`: it has, and its calls are being settled. */
  readonly phase: 'asking' | 'settling'
  readonly finish?: StepFinish
  readonly calls: readonly OpenCall[]
}

export type CallPhase = 'ready' | 'awaiting-approval' | 'awaiting-client' | 'running' | 'settled'

export interface OpenCall {
  readonly toolCallId: ToolCallId
  readonly name: string
  readonly input: JsonObject
  readonly route: CallRoute
  readonly phase: CallPhase
  readonly attempt: number
}

export const isWaitingForAnswer = (call: OpenCall): boolean =>
  call.phase === 'awaiting-approval' || call.phase === 'awaiting-client'

export const openCallsOf = (turn: ActiveTurn | undefined): readonly OpenCall[] =>
  turn?.step?.calls.filter((call) => call.phase !== 'settled') ?? []

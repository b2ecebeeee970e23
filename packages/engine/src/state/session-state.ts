import type { Preset, SessionSettings } from '../events/session-settings.ts'
import type { UserContent } from '../content.ts'
import type { RaisedLimits, TurnBudget } from '../cost/budget.ts'
import type { Spending } from '../ports/usage-store.ts'
import type { SessionOrigin } from '../events/session-events.ts'
import type { CoverOffer, FailedAttempt } from '../events/call-events.ts'
import type { CallRoute, StepFinish } from '../events/step-events.ts'
import type { TurnOutcome, TurnSettings } from '../events/turn-events.ts'
import {
  ROOT_LOOP,
  type EntryId,
  type LoopId,
  type SessionId,
  type ToolCallId,
  type TurnId,
  type UserId,
} from '../ids.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { ToolKind } from '../events/tool-kind.ts'

/** Increase this whenever the shape of the state changes, so that old snapshots are not loaded. */
export const STATE_SHAPE = 12

/**
 * The state that decisions need: a fold of the session's log, small for any length of the log. It does not contain the
 * conversation; `views/` fold that on demand.
 */
export interface SessionState {
  readonly shape: typeof STATE_SHAPE
  readonly seq: number
  readonly sessionId: SessionId
  readonly userId: UserId
  readonly agent: string
  readonly settings: SessionSettings
  /** Set if the session was forked from another one. */
  readonly origin?: SessionOrigin
  /** The name of the door that created it. */
  readonly via?: string
  /** The sessions that were forked from this one and were not deleted, oldest first. Absent: it was never forked. */
  readonly forks?: readonly SessionFork[]
  /** The preset before planning started. It is restored when planning ends. */
  readonly presetBeforePlan?: Preset
  /** The session has a user message, or it started with a history. */
  readonly isStarted: boolean
  /** The newest recorded live batch number, and the highest number that may have been used. */
  readonly batches: { readonly recorded: number; readonly reserved: number }
  /** The newest entry of the active branch; the parent of the next entry. */
  readonly head?: EntryId
  /** Inputs that arrived while a turn was active, oldest first. */
  readonly queue: readonly QueuedInput[]
  readonly turn?: ActiveTurn
  /** Unanswered calls of a seeded history. The turn that continues the history takes them over. */
  readonly seededCalls: readonly OpenCall[]
  readonly lastOutcome?: TurnOutcome
  /** A compaction was requested and has not started. */
  readonly isCompactionWanted: boolean
  readonly compaction?: ActiveCompaction
  /** Unsuccessful automatic compactions in a row. */
  readonly vainCompactions: number
  /** The usage of all model calls, including sub-agents and compactions. */
  readonly spent: Spending
  /** Raised limits of the session that a user allowed, by budget. */
  readonly raised: RaisedLimits
  /**
   * What the user allowed for the whole session: names of tools, or what an approval said that it covers. A takeover
   * from a dead process clears them, because one of these calls may have killed it.
   */
  readonly overrides: readonly string[]
  /** The fingerprint of the newest description of the surroundings. */
  readonly surroundings?: string
  readonly createdAt: number
  readonly updatedAt: number
}

export interface SessionFork {
  readonly sessionId: SessionId
  readonly turnId?: TurnId
}

export interface ActiveCompaction {
  readonly compactionId: EntryId
  readonly loopId: LoopId
  readonly tokensBefore: number
  readonly model?: string
}

export interface QueuedInput {
  readonly inputId: EntryId
  readonly turnId: TurnId
  readonly content: UserContent
  readonly settings?: TurnSettings
}

/** One conversation with a model: that of the agent or of a sub-agent. */
export interface LoopProgress {
  /** Model steps answered since the last message to the model. */
  readonly answeredSteps: number
  readonly step?: ActiveStep
}

/** The inherited progress is that of the session's own agent. */
export interface ActiveTurn extends LoopProgress {
  readonly turnId: TurnId
  /** `waiting`: every open call needs a human or a client, and no process owns the turn. */
  readonly status: 'running' | 'waiting'
  readonly recovery: 'continue' | 'interrupt'
  /** How often a process died while it ran the turn. */
  readonly takeovers: number
  /** When a process last took the turn over from a dead one. */
  readonly takenOverAt?: number
  /** The last process stopped in an orderly way, so the next takeover does not count. */
  readonly isHandedOver?: true
  /** Why the turn was cancelled. The runner ends the turn when it sees this. */
  readonly cancelled?: string
  /** The user's memories were searched for this turn. */
  readonly hasRecalled: boolean
  /** The agent's own model was called in this turn, so its surroundings are settled. */
  readonly hasAsked: boolean
  /** The provider rejected the context as too long, and it was compacted. */
  readonly isForced: boolean
  readonly settings: TurnSettings
  /** The value for the `outputSchema`, once the model has returned it. */
  readonly output?: JsonValue
  /** How often the model returned an invalid value or none. */
  readonly vainOutputs: number
  readonly budget: TurnBudget
  /** Sub-agents that have not ended, parents before their children. */
  readonly children: readonly ChildLoop[]
}

export interface ChildLoop extends LoopProgress {
  readonly loopId: LoopId
  readonly parentToolCallId: ToolCallId
  readonly parentLoopId: LoopId
  readonly agent: string
  readonly depth: number
  readonly startedAt: number
  /** The seq of its `loop.started`, which holds its prompt. */
  readonly startSeq: number
  /** Its newest entry. */
  readonly head?: EntryId
  /** Its last text. It becomes the result if the sub-agent cannot finish. */
  readonly said?: string
}

export interface ActiveStep {
  readonly stepId: EntryId
  readonly loopId: LoopId
  readonly stepSeq: number
  /** `asking`: the model has not answered. `settling`: it has answered, and its calls are being settled. */
  readonly phase: 'asking' | 'settling'
  readonly finish?: StepFinish
  readonly model?: string
  /** No model was called: the engine itself asks a question. */
  readonly by?: 'engine'
  readonly calls: readonly OpenCall[]
}

export type CallPhase = 'ready' | 'awaiting-approval' | 'awaiting-client' | 'awaiting-user' | 'running' | 'settled'

/** `label` and `project` are there if the offer is for a project. */
export type OpenOffer = Pick<CoverOffer, 'id' | 'covers'> & Partial<Pick<CoverOffer, 'label' | 'project'>>

export interface OpenCall {
  readonly toolCallId: ToolCallId
  readonly name: string
  readonly input: JsonObject
  readonly route: CallRoute
  readonly kind?: ToolKind
  readonly phase: CallPhase
  readonly attempt: number
  /** The requested approval, and whether it was granted. */
  readonly approval?: {
    readonly callHash: string
    readonly granted: boolean
    readonly covers?: string
    readonly offers?: readonly OpenOffer[]
    /** A digest of what the change that was shown starts from. */
    readonly before?: string
    /** How the call failed in its sandbox. The approval is for running it again without one. */
    readonly failed?: FailedAttempt
  }
  /** A stop was requested. */
  readonly cancelled?: string
  /** A sub-agent's call that waited when the turn paused. Clients have seen it and expect its result. */
  readonly isShown?: true
}

export const isWaitingForAnswer = (call: OpenCall): boolean =>
  call.phase === 'awaiting-approval' || call.phase === 'awaiting-client' || call.phase === 'awaiting-user'

/** The open calls of all loops, the agent's own first. */
export const openCallsOf = (turn: ActiveTurn | undefined): readonly OpenCall[] =>
  turn === undefined ? [] : loopsOf(turn).flatMap(openCallsIn)

export const openCallsIn = ({ step }: LoopProgress): readonly OpenCall[] =>
  step?.calls.filter((call) => call.phase !== 'settled') ?? []

/** The waiting calls of sub-agents. */
export const waitingInChildren = ({ children }: ActiveTurn): readonly OpenCall[] =>
  children.flatMap(openCallsIn).filter(isWaitingForAnswer)

export type AnyLoop = (LoopProgress & { readonly loopId: LoopId }) | ChildLoop

export const isChild = (loop: AnyLoop): loop is ChildLoop => 'parentToolCallId' in loop

export const loopsOf = (turn: ActiveTurn): readonly AnyLoop[] => [rootLoopOf(turn), ...turn.children]

const rootLoopOf = ({ answeredSteps, step }: ActiveTurn): AnyLoop => ({
  loopId: ROOT_LOOP,
  answeredSteps,
  ...(step && { step }),
})

export function findLoop(turn: ActiveTurn, loopId: LoopId): AnyLoop | undefined {
  return loopId === ROOT_LOOP ? rootLoopOf(turn) : turn.children.find((child) => child.loopId === loopId)
}

/** The sub-agent that performs a call, once it has started. */
export const childOf = (turn: ActiveTurn, toolCallId: ToolCallId): ChildLoop | undefined =>
  turn.children.find((child) => child.parentToolCallId === toolCallId)

export function findOpenCall(turn: ActiveTurn | undefined, toolCallId: ToolCallId): OpenCall | undefined {
  return openCallsOf(turn).find((call) => call.toolCallId === toolCallId)
}

/** Whether a runner has something to do. */
export const isWanted = ({ turn, isCompactionWanted, compaction }: SessionState): boolean =>
  turn?.status === 'running' || (turn === undefined && (isCompactionWanted || compaction !== undefined))

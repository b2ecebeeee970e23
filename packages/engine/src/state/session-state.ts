import type { Preset, SessionSettings } from '../events/session-settings.ts'
import type { UserContent } from '../content.ts'
import type { RaisedLimits, TurnBudget } from '../cost/budget.ts'
import type { Spending } from '../ports/usage-store.ts'
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

/** Raised whenever the shape of the state changes, so that no snapshot of another shape is taken for one of this. */
export const STATE_SHAPE = 9

/**
 * What decisions need to know of a session: a fold of its log, small whatever the log's length. The conversation itself
 * is not here; `views/` fold it when somebody wants to see it.
 */
export interface SessionState {
  readonly shape: typeof STATE_SHAPE
  readonly seq: number
  readonly sessionId: SessionId
  readonly userId: UserId
  readonly agent: string
  readonly settings: SessionSettings
  /** The preset that was in force when planning began; the end of planning restores it. */
  readonly presetBeforePlan?: Preset
  /** Somebody said something in it, or it began with a history. */
  readonly isStarted: boolean
  /** The number of the newest live batch that is recorded, and the highest that may have been used. */
  readonly batches: { readonly recorded: number; readonly reserved: number }
  /** The newest entry of the active branch: the parent of the next one. */
  readonly head?: EntryId
  /** Inputs that were admitted while a turn was active, oldest first. */
  readonly queue: readonly QueuedInput[]
  readonly turn?: ActiveTurn
  /** Calls of a seeded history that nobody has answered; the turn that continues it takes them over. */
  readonly seededCalls: readonly OpenCall[]
  readonly lastOutcome?: TurnOutcome
  /** Somebody asked for a compaction, and no runner has begun it. */
  readonly isCompactionWanted: boolean
  readonly compaction?: ActiveCompaction
  /** Compactions in a row that nobody asked for and that did not help. */
  readonly vainCompactions: number
  /** By all model calls, those of sub-agents and compactions included. */
  readonly spent: Spending
  /** New limits of the session that somebody allowed, by budget. */
  readonly raised: RaisedLimits
  readonly createdAt: number
  readonly updatedAt: number
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

/** One conversation with a model: the agent's own, or a sub-agent's. */
export interface LoopProgress {
  /** Model steps answered since it was told something. */
  readonly answeredSteps: number
  readonly step?: ActiveStep
}

/** The progress is that of the agent itself. */
export interface ActiveTurn extends LoopProgress {
  readonly turnId: TurnId
  /** `waiting`: every open call needs a human or a client, and nobody owns the turn. */
  readonly status: 'running' | 'waiting'
  readonly recovery: 'continue' | 'interrupt'
  /** How often a process died while it ran the turn. */
  readonly takeovers: number
  /** When a process last took the turn over from a dead one. */
  readonly takenOverAt?: number
  /** The last process stopped in an orderly way, so the next takeover does not count. */
  readonly isHandedOver?: true
  /** Why it was cancelled; the runner ends it as soon as it sees this. */
  readonly cancelled?: string
  /** What the user has had remembered was looked through. */
  readonly hasRecalled: boolean
  /** The provider said that the context was too long, and it was compacted for that. */
  readonly isForced: boolean
  readonly settings: TurnSettings
  /** The value that its `outputSchema` asks for, once the model has given it. */
  readonly output?: JsonValue
  /** How often the model gave a wrong one, or none. */
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
  /** Of its `loop.started`; what it was told stands there. */
  readonly startSeq: number
  /** Its newest entry. */
  readonly head?: EntryId
  /** What it said last; its result when it cannot finish. */
  readonly said?: string
}

export interface ActiveStep {
  readonly stepId: EntryId
  readonly loopId: LoopId
  readonly stepSeq: number
  /** `asking`: the model has not answered. `settling`: it has, and its calls are being settled. */
  readonly phase: 'asking' | 'settling'
  readonly finish?: StepFinish
  readonly model?: string
  /** No model was asked: the engine itself has a question. */
  readonly by?: 'engine'
  readonly calls: readonly OpenCall[]
}

export type CallPhase = 'ready' | 'awaiting-approval' | 'awaiting-client' | 'awaiting-user' | 'running' | 'settled'

export interface OpenCall {
  readonly toolCallId: ToolCallId
  readonly name: string
  readonly input: JsonObject
  readonly route: CallRoute
  readonly kind?: ToolKind
  readonly phase: CallPhase
  readonly attempt: number
  /** What was asked for, and whether it was granted. */
  readonly approval?: { readonly callHash: string; readonly granted: boolean; readonly covers?: string }
  /** Somebody wants it stopped. */
  readonly cancelled?: string
  /** A sub-agent's call that waited when the turn paused: clients were shown it, and expect its result. */
  readonly isShown?: true
}

export const isWaitingForAnswer = (call: OpenCall): boolean =>
  call.phase === 'awaiting-approval' || call.phase === 'awaiting-client' || call.phase === 'awaiting-user'

/** Of all loops, the agent's own first. */
export const openCallsOf = (turn: ActiveTurn | undefined): readonly OpenCall[] =>
  turn === undefined ? [] : loopsOf(turn).flatMap(openCallsIn)

export const openCallsIn = ({ step }: LoopProgress): readonly OpenCall[] =>
  step?.calls.filter((call) => call.phase !== 'settled') ?? []

/** The calls of sub-agents that wait for somebody. */
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

/** The sub-agent that carries a call out, once it has begun. */
export const childOf = (turn: ActiveTurn, toolCallId: ToolCallId): ChildLoop | undefined =>
  turn.children.find((child) => child.parentToolCallId === toolCallId)

export function findOpenCall(turn: ActiveTurn | undefined, toolCallId: ToolCallId): OpenCall | undefined {
  return openCallsOf(turn).find((call) => call.toolCallId === toolCallId)
}

/** Whether a runner has something to do. */
export const isWanted = ({ turn, isCompactionWanted, compaction }: SessionState): boolean =>
  turn?.status === 'running' || (turn === undefined && (isCompactionWanted || compaction !== undefined))

import type { SeedMessage, StepBlock, ToolContent, Usage, UserContent } from '../content.ts'
import type { EntryId, LoopId, SessionId, ToolCallId, TurnId, UserId } from '../ids.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { SpentBudget } from '../cost/budget.ts'
import type { CallInspection } from '../permission/call-facts.ts'
import type { FileChange, ToolKind } from '../ports/tool.ts'

/**
 * The facts of a session, in the order of its log. A shape that was written is never changed: a new one gets a
 * higher version in `codec.ts` and an upcast. New optional fields may be added at any time.
 */
export type RecordedEvent =
  | SessionCreated
  | SessionSeeded
  | SessionConfigured
  | InputAdmitted
  | InputDropped
  | TurnStarted
  | TurnPaused
  | TurnResumed
  | TurnCancelRequested
  | TurnTakenOver
  | TurnEnded
  | StepStarted
  | StepAnswered
  | StepEnded
  | MemoriesRecalled
  | CompactionRequested
  | CompactionStarted
  | CompactionEnded
  | LoopStarted
  | LoopEnded
  | ApprovalRequested
  | ApprovalResolved
  | ToolCallStarted
  | ToolCallCancelRequested
  | ToolCallSettled

/** One row of the log. `at` is epoch milliseconds. */
export interface Recorded<E extends RecordedEvent = RecordedEvent> {
  readonly seq: number
  readonly at: number
  readonly event: E
}

/** `read-only`, `workspace-write`, `full-access` or `plan`. */
export type Preset = 'read-only' | 'workspace-write' | 'full-access' | 'plan'

/**
 * Which of the agent's tools a session has. `listed`: the exposed tools its client named, each trusted or not.
 * `preset`: all of them, judged by the preset.
 */
export type ToolAccess = { readonly type: 'listed'; readonly tools: readonly ToolGrant[] } | { readonly type: 'preset' }

export interface ToolGrant {
  readonly name: string
  readonly trust?: boolean
}

/** A tool that the client runs itself; the engine only offers it and waits for its result. */
export interface ClientTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly parameters: JsonObject
}

export interface SessionCreated {
  readonly type: 'session.created'
  readonly sessionId: SessionId
  readonly userId: UserId
  readonly agent: string
  readonly access: ToolAccess
  readonly clientTools: readonly ClientTool[]
  /** As the client set them, defaults not filled in; a secret's value is `***`. */
  readonly options: { readonly [name: string]: string }
  /** Kept with the session, so that a secret stays hidden when its agent is gone or has changed. */
  readonly secretOptions: readonly string[]
  readonly preset: Preset
  /** The directories its client named, the working directory first. Absent: it has a directory of its own. */
  readonly directories?: readonly string[]
  /** What it is about; absent: the first thing its user says. */
  readonly title?: string
  /** One of the agent's roles. */
  readonly role?: string
  /** `provider/model`; absent: the agent's own. */
  readonly model?: string
  /** Tools of the agent that this session does not have. */
  readonly disabledTools?: readonly string[]
  /** Whether what its user had remembered is recalled; absent: it is. */
  readonly recallsMemories?: boolean
  readonly labels?: Labels
}

/** What doors note about a session for themselves, each under names of its own; the engine never reads them. */
export interface Labels {
  readonly [name: string]: string
}

export interface SessionSeeded {
  readonly type: 'session.seeded'
  readonly entryId: EntryId
  readonly messages: readonly SeedMessage[]
}

/** Only what changed. `options` are merged by key; the lists are replaced as a whole. */
export interface SessionConfigured {
  readonly type: 'session.configured'
  readonly access?: ToolAccess
  readonly clientTools?: readonly ClientTool[]
  readonly options?: { readonly [name: string]: string }
  readonly secretOptions?: readonly string[]
  readonly preset?: Preset
  readonly title?: string
  readonly model?: string
  readonly disabledTools?: readonly string[]
  readonly recallsMemories?: boolean
  readonly isPinned?: boolean
  /** Whether other users may read it. */
  readonly isShared?: boolean
  /** Merged by name; an empty text removes one. */
  readonly labels?: Labels
}

/** What holds for one turn alone. */
export interface TurnSettings {
  /** `provider/model`; absent: the session's. */
  readonly model?: string
  /** Planning begins or ends with this turn, for the turns after it too; absent: it stays as it is. */
  readonly isPlanning?: boolean
  /** Nobody is there to ask: what would be asked for is allowed, what is denied stays so, questions are not offered. */
  readonly isUnattended?: boolean
  /** Tools that the model is not offered. */
  readonly withheldTools?: readonly string[]
  /** JSON Schema: the turn ends with a value of this shape, or fails. */
  readonly outputSchema?: JsonObject
  /** `interrupt`: it does not go on when its process has died. Absent: as the server does with all. */
  readonly recovery?: 'interrupt'
  /** The API key that it was asked for with; its cost counts there. */
  readonly keyId?: string
}

export interface InputAdmitted {
  readonly type: 'input.admitted'
  readonly inputId: EntryId
  /** The turn it will be; a queued input has it before its turn starts. */
  readonly turnId: TurnId
  readonly content: UserContent
  readonly settings?: TurnSettings
}

export interface InputDropped {
  readonly type: 'input.dropped'
  readonly inputId: EntryId
  readonly reason: string
}

/** Without an input, the turn continues a seeded history whose last calls wait for their client. */
export interface TurnStarted {
  readonly type: 'turn.started'
  readonly turnId: TurnId
  readonly inputId?: EntryId
  readonly parentEntryId?: EntryId
  /** What a takeover does with this turn when its process has died. */
  readonly recovery: 'continue' | 'interrupt'
}

/** Every open call waits for a human or a client. Nobody owns the turn until one of them answers. */
export interface TurnPaused {
  readonly type: 'turn.paused'
  readonly turnId: TurnId
}

export interface TurnResumed {
  readonly type: 'turn.resumed'
  readonly turnId: TurnId
}

export interface TurnCancelRequested {
  readonly type: 'turn.cancel-requested'
  readonly turnId: TurnId
  readonly reason: string
}

export interface TurnTakenOver {
  readonly type: 'turn.taken-over'
  readonly turnId: TurnId
  readonly count: number
}

export type TurnOutcome = 'finished' | 'token-limit' | 'refused' | 'step-limit' | 'cancelled' | 'failed' | 'interrupted'

export interface TurnEnded {
  readonly type: 'turn.ended'
  readonly turnId: TurnId
  readonly outcome: TurnOutcome
  readonly error?: Failure
  /** What a turn with an `outputSchema` came to. */
  readonly output?: JsonValue
}

/** A failure as data. `message` is a sentence that clients may see: no stack, path, key or provider body. */
export interface Failure {
  readonly code: string
  readonly message: string
}

export interface StepStarted {
  readonly type: 'step.started'
  readonly turnId: TurnId
  /** A step is an entry: the next entry's parent. */
  readonly stepId: EntryId
  readonly loopId: LoopId
  readonly parentToolCallId?: ToolCallId
  readonly parentEntryId?: EntryId
  readonly model: string
  /** Numbers of live batches up to this one may be used in this step. */
  readonly reservedBatches?: number
}

export type StepFinish = 'stop' | 'tool-calls' | 'token-limit' | 'refused'

/** The whole answer of one model call: every block in order, every call with its complete input. */
export interface StepAnswered {
  readonly type: 'step.answered'
  readonly turnId: TurnId
  /** Of a sub-agent; absent for the agent's own. */
  readonly loopId?: LoopId
  readonly stepId: EntryId
  readonly blocks: readonly StepBlock[]
  /** One entry per tool-call block: who settles it. */
  readonly routes: { readonly [toolCallId: string]: CallRoute }
  /** The kinds of the called tools. Absent for calls of client tools, of unknown tools and of kind `other`. */
  readonly kinds?: { readonly [toolCallId: string]: ToolKind }
  readonly finish: StepFinish
  readonly usage: Usage
  /** What tools said of their calls; only of tools that say something. */
  readonly inspections?: { readonly [toolCallId: string]: CallInspection }
  /** The number of the session's newest live batch. */
  readonly liveBatches?: number
  /** No model was asked: the engine itself has a question. What it asks and is answered stays from the model. */
  readonly by?: 'engine'
  /** What it asks about: whether more may be spent. */
  readonly budget?: SpentBudget
}

/**
 * `server`: a tool of the agent, or a name nobody knows. `client`: a tool of the client; it waits for a result.
 * `question`: it waits for the user's answer. `agent`: a sub-agent carries it out.
 */
export type CallRoute = 'server' | 'client' | 'question' | 'agent'

export type StepOutcome = 'completed' | 'cancelled' | 'failed' | 'interrupted'

/** A step that did not answer keeps the text it had; a step that answered ends when all its calls are settled. */
export interface StepEnded {
  readonly type: 'step.ended'
  readonly turnId: TurnId
  /** Of a sub-agent; absent for the agent's own. */
  readonly loopId?: LoopId
  readonly stepId: EntryId
  readonly outcome: StepOutcome
  readonly partial?: readonly StepBlock[]
  readonly error?: Failure
  /** Of a step that did not answer: what it took all the same, where the provider said so. */
  readonly usage?: Usage
  /** The number of the session's newest live batch, or one beyond all that may have been used. */
  readonly liveBatches?: number
}

/** What the agent remembers of its user that this turn is about. Recorded, so that a turn that goes on is told the same. */
export interface MemoriesRecalled {
  readonly type: 'memories.recalled'
  readonly turnId: TurnId
  readonly memories: readonly RecalledMemory[]
}

export interface RecalledMemory {
  readonly memoryId: number
  readonly content: string
  readonly skillName?: string
}

/** Somebody wants an idle session compacted. */
export interface CompactionRequested {
  readonly type: 'compaction.requested'
}

/** `auto`: the context had grown near the model's window. `forced`: the provider said that it was too long. */
export type CompactionTrigger = 'auto' | 'manual' | 'forced'

/** What a loop's model is given is being shortened. The history stays as it is. */
export interface CompactionStarted {
  readonly type: 'compaction.started'
  /** It is an entry: later ones descend from it. */
  readonly compactionId: EntryId
  /** Absent for an idle session. */
  readonly turnId?: TurnId
  /** Of a sub-agent; absent for the agent's own. */
  readonly loopId?: LoopId
  readonly parentEntryId?: EntryId
  readonly trigger: CompactionTrigger
  readonly model: string
  readonly tokensBefore: number
}

export interface CompactionEnded {
  readonly type: 'compaction.ended'
  readonly compactionId: EntryId
  readonly turnId?: TurnId
  readonly loopId?: LoopId
  readonly outcome: 'completed' | 'failed'
  /** Stands for everything that the loop's model was given up to the event `throughSeq`. */
  readonly summary?: string
  readonly throughSeq?: number
  readonly tokensAfter?: number
  readonly usage?: Usage
  readonly error?: Failure
}

/** A sub-agent begins. Its steps and calls carry its loop's id; its result is the result of the call. */
export interface LoopStarted {
  readonly type: 'loop.started'
  readonly turnId: TurnId
  readonly loopId: LoopId
  readonly parentToolCallId: ToolCallId
  readonly parentLoopId: LoopId
  /** 1 for a child of the agent itself. */
  readonly depth: number
  readonly agent: string
  /** A few words for whoever watches. */
  readonly description: string
  /** All that it is told. */
  readonly prompt: string
}

export type LoopOutcome = TurnOutcome | 'deadline'

export interface LoopEnded {
  readonly type: 'loop.ended'
  readonly turnId: TurnId
  readonly loopId: LoopId
  readonly outcome: LoopOutcome
  readonly error?: Failure
}

export interface ApprovalRequested {
  readonly type: 'approval.requested'
  readonly turnId: TurnId
  /** Of a sub-agent; absent for the agent's own. */
  readonly loopId?: LoopId
  readonly toolCallId: ToolCallId
  /** Hash of exactly what will run; a grant covers this and nothing else. */
  readonly callHash: string
  /** What made it ask: a mode, a rule. */
  readonly reason?: string
  /** Whether *always allow in this session* is on offer. */
  readonly isCoverable?: boolean
  /** What that would cover, where it is not every tool of this name. */
  readonly covers?: string
}

export interface ApprovalResolved {
  readonly type: 'approval.resolved'
  readonly turnId: TurnId
  /** Of a sub-agent; absent for the agent's own. */
  readonly loopId?: LoopId
  readonly toolCallId: ToolCallId
  readonly granted: boolean
  readonly reason?: string
  /** `session`: whoever granted it wants no further question about this tool, as long as the session is in memory. */
  readonly scope?: 'once' | 'session'
  readonly answer?: GivenAnswer
}

/** An answer as its client gave it, for clients of the same kind; the model reads the output of the call. */
export type GivenAnswer = JsonObject

/** Recorded before the tool runs, so that after a crash we know what may have happened. */
export interface ToolCallStarted {
  readonly type: 'tool-call.started'
  readonly turnId: TurnId
  /** Of a sub-agent; absent for the agent's own. */
  readonly loopId?: LoopId
  readonly toolCallId: ToolCallId
  readonly attempt: number
  readonly callHash: string
}

/** Somebody wants this one call stopped, not the turn. */
export interface ToolCallCancelRequested {
  readonly type: 'tool-call.cancel-requested'
  readonly turnId: TurnId
  /** Of a sub-agent; absent for the agent's own. */
  readonly loopId?: LoopId
  readonly toolCallId: ToolCallId
  readonly reason: string
}

/** `unknown`: it was started and its process died; it may or may not have had its effect. */
export type CallStatus = 'completed' | 'failed' | 'denied' | 'cancelled' | 'unknown'

export interface ToolCallSettled {
  readonly type: 'tool-call.settled'
  readonly turnId: TurnId
  /** Of a sub-agent; absent for the agent's own. */
  readonly loopId?: LoopId
  readonly toolCallId: ToolCallId
  readonly status: CallStatus
  readonly output: ToolContent
  /** Who produced the output: the tool, the client that was asked, or the engine itself (denials, refusals). */
  readonly by: 'tool' | 'client' | 'engine'
  /** Cancelled by new input, whose turn begins in the same transaction. */
  readonly isSuperseded?: boolean
  readonly durationMs?: number
  /** For clients, never shown to the model. */
  readonly meta?: JsonObject
  readonly changedFiles?: readonly FileChange[]
  readonly answer?: GivenAnswer
}

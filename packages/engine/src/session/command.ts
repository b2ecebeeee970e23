import type { NewSettings, SettingsChange } from '../events/session-settings.ts'
import type { ConversationMessage, ToolContent, UserContent } from '../content.ts'
import type { GivenAnswer } from '../events/call-events.ts'
import type { TurnSettings } from '../events/turn-events.ts'
import type { SessionId, ToolCallId, TurnId, UserId } from '../ids.ts'
import type { NewBlob } from '../ports/event-store.ts'

/** A request to change a session. The engine does all of it or refuses with an `EngineError` and does nothing. */
export type Command =
  | CreateSession
  | ConfigureSession
  | StartTurn
  | AnswerCalls
  | CancelTurn
  | CancelCall
  | CompactSession
  | DeleteSession

/** A new session with these settings; those that are left out have their defaults. */
export interface CreateSession extends Omit<NewSettings, 'secretOptions'> {
  readonly type: 'create-session'
  readonly userId: UserId
  /** Chosen in advance by a caller that must find out after a crash whether the session was made. Default: a new id. */
  readonly sessionId?: SessionId
  readonly agent: string
  readonly seed?: readonly ConversationMessage[]
  /** Starts the first turn in the same transaction. */
  readonly input?: UserContent
  /** For that first turn. */
  readonly turnSettings?: TurnSettings
  /** Only with an input. A repeat within a day returns the same session and turn. */
  readonly idempotency?: IdempotencyKey
  /** Every blob that the seed or the input refers to. */
  readonly blobs?: readonly NewBlob[]
}

/** Changes that last for the rest of the session. What is absent stays as it is. */
export interface SessionChanges extends Omit<SettingsChange, 'secretOptions' | 'directories' | 'role'> {
  /** Must equal the session's agent. */
  readonly agent?: string
  /** `true`: preset `plan`. `false`: the preset that was in force before. */
  readonly planning?: boolean
}

/** Takes effect at once, also in the turn that is running: the next call is judged by it. */
export interface ConfigureSession {
  readonly type: 'configure-session'
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly changes: SessionChanges
}

/** An input that is dropped before its turn begins gives its key free again. */
export interface IdempotencyKey {
  readonly key: string
  /** Digest of the request: the same key with another request is refused. */
  readonly fingerprint: string
}

export interface StartTurn {
  readonly type: 'start-turn'
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly content: UserContent
  readonly changes?: SessionChanges
  /** Unlike changes, they take effect when the turn begins, and hold for it alone. */
  readonly settings?: TurnSettings
  readonly whenRunning: 'refuse' | 'queue'
  /**
   * While the turn waits for a human: take its place (unless said otherwise), or wait for its end too. Who may queue takes
   * its place behind the inputs that are queued already.
   */
  readonly whenWaiting?: 'supersede' | 'queue'
  readonly idempotency?: IdempotencyKey
  readonly blobs?: readonly NewBlob[]
}

export type CallAnswer =
  | {
      readonly type: 'approval'
      readonly toolCallId: ToolCallId
      readonly granted: boolean
      readonly reason?: string
      /** `session`: no further question about this tool, as far as that may be waved through. */
      readonly scope?: 'once' | 'session'
      readonly answer?: GivenAnswer
    }
  | {
      readonly type: 'result'
      readonly toolCallId: ToolCallId
      readonly content: ToolContent
      readonly answer?: GivenAnswer
    }

export interface AnswerCalls {
  readonly type: 'answer-calls'
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly answers: readonly CallAnswer[]
  readonly changes?: SessionChanges
  /** Whether answers are taken while other calls of the turn still run. */
  readonly whenRunning: 'refuse' | 'accept'
  readonly idempotency?: IdempotencyKey
  readonly blobs?: readonly NewBlob[]
}

export interface CancelTurn {
  readonly type: 'cancel-turn'
  readonly userId: UserId
  readonly sessionId: SessionId
  /** Only this turn, also one whose input is still queued; absent = whichever is active. */
  readonly turnId?: TurnId
  readonly reason: string
  readonly dropQueue: boolean
}

/** Stops one call, or the sub-agent that carries it out; the turn goes on with what there is. */
export interface CancelCall {
  readonly type: 'cancel-call'
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly toolCallId: ToolCallId
  readonly reason: string
}

/** Shortens what the model is given. Only an idle session; the history stays as it is. */
export interface CompactSession {
  readonly type: 'compact-session'
  readonly userId: UserId
  readonly sessionId: SessionId
}

export interface DeleteSession {
  readonly type: 'delete-session'
  readonly userId: UserId
  readonly sessionId: SessionId
}

export interface CreatedSession {
  readonly sessionId: SessionId
  /** Present when the command carried an input. */
  readonly turn?: AdmittedTurn
}

/** The request is on disk. What it leads to begins at `seq` in the session's log. */
export interface AdmittedTurn {
  readonly turnId: TurnId
  readonly seq: number
  readonly queued: boolean
  /** The idempotency key was seen before; nothing new was stored. */
  readonly repeated: boolean
}

export interface CommandResults {
  readonly 'create-session': CreatedSession
  readonly 'configure-session': Record<string, never>
  readonly 'start-turn': AdmittedTurn
  readonly 'answer-calls': AdmittedTurn
  /** `cancelled` is false when nothing was active: a quiet success. */
  readonly 'cancel-turn': { readonly cancelled: boolean }
  /** `cancelled` is false when the call was not open any more. */
  readonly 'cancel-call': { readonly cancelled: boolean }
  /** It has been asked for; `compaction.ended` tells what became of it. */
  readonly 'compact-session': { readonly seq: number }
  readonly 'delete-session': Record<string, never>
}

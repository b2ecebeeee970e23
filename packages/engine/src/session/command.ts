import type { Labels, NewSettings, SettingsChange } from '../events/session-settings.ts'
import type { ConversationMessage, ToolContent, UserContent } from '../content.ts'
import type { GivenAnswer } from '../events/call-events.ts'
import type { TurnSettings } from '../events/turn-events.ts'
import type { JsonObject } from '../json.ts'
import type { EntryId, SessionId, ToolCallId, TurnId, UserId } from '../ids.ts'
import type { NewBlob } from '../ports/event-store.ts'

/**
 * A request to change a session. The engine executes all of it, or refuses it with an `EngineError` and changes
 * nothing.
 */
export type Command =
  | CreateSession
  | ForkSession
  | ConfigureSession
  | StartTurn
  | ChangeInput
  | AnswerCalls
  | CancelTurn
  | CancelCall
  | CompactSession
  | DeleteSession

/** What the server adds to a command of a door. */
export interface FromDoor {
  /** The door's name, which the events of the command record. */
  readonly via?: string
}

/** Creates a session with these settings. Missing settings get their defaults. */
export interface CreateSession extends Omit<NewSettings, 'secretOptions'>, FromDoor {
  readonly type: 'create-session'
  readonly userId: UserId
  /** Set by callers that must find out after a crash whether the session was created. Default: a new id. */
  readonly sessionId?: SessionId
  readonly agent: string
  readonly seed?: readonly ConversationMessage[]
  /** Starts the first turn in the same transaction. */
  readonly input?: UserContent
  /** Settings of the first turn. */
  readonly turnSettings?: TurnSettings
  /** Requires an input. A repeat within a day returns the same session and turn. */
  readonly idempotency?: IdempotencyKey
  /** All blobs that the seed or the input refers to. */
  readonly blobs?: readonly NewBlob[]
}

/**
 * Creates a session that starts with a copy of another session's log, up to the end of a turn. Both name each other. The
 * new session has the current settings and the directories of its parent. It is not pinned or shared.
 */
export interface ForkSession extends FromDoor {
  readonly type: 'fork-session'
  readonly userId: UserId
  /** The parent. It may be running. */
  readonly sessionId: SessionId
  /** The last turn to copy. It must have ended. Absent: the last turn that has ended. */
  readonly turnId?: TurnId
  /** Copies everything before this input started its turn. Not together with `turnId`. */
  readonly beforeInput?: EntryId
  /** Default: the parent's title with `(fork)`. */
  readonly title?: string
  /** Replaces the parent's directories, such as the `cwd` and the additional directories of an editor. */
  readonly directories?: readonly string[]
  readonly labels?: Labels
}

/** Changes that apply to the rest of the session. Absent fields stay unchanged. */
export interface SessionChanges extends Omit<SettingsChange, 'secretOptions' | 'role'> {
  /** All of them. The first must be the session's working directory, which cannot change. */
  readonly directories?: readonly string[] | undefined
  /** Must equal the session's agent. */
  readonly agent?: string
  /** `true`: switches to the preset `plan`. `false`: restores the previous preset. */
  readonly planning?: boolean
  /** Asks again about what the user allowed for the whole session. */
  readonly forgetsOverrides?: true
}

/** Takes effect immediately, even in a running turn: the next call is judged by it. */
export interface ConfigureSession {
  readonly type: 'configure-session'
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly changes: SessionChanges
}

/** If an input is dropped before its turn starts, its key can be used again. */
export interface IdempotencyKey {
  readonly key: string
  /** Digest of the request. The same key with another request is refused. */
  readonly fingerprint: string
}

export interface StartTurn extends FromDoor {
  readonly type: 'start-turn'
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly content: UserContent
  /** How the client composed the content, in the door's own form. Recorded for clients of the same kind. */
  readonly given?: JsonObject
  readonly changes?: SessionChanges
  /** Unlike `changes`, these take effect when the turn starts and apply only to this turn. */
  readonly settings?: TurnSettings
  readonly whenRunning: 'refuse' | 'queue'
  /**
   * What happens while a turn waits for a human. `supersede` (default): the input ends that turn; if `whenRunning` is
   * `queue`, inputs that are already queued run first. `queue`: the input waits for the end of that turn.
   */
  readonly whenWaiting?: 'supersede' | 'queue'
  readonly idempotency?: IdempotencyKey
  readonly blobs?: readonly NewBlob[]
}

/** Rewords an input that waits for its turn. It keeps its place in the queue. */
export interface ChangeInput extends FromDoor {
  readonly type: 'change-input'
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly inputId: EntryId
  /** Replaces the text. Images and files stay. */
  readonly text: string
}

export type CallAnswer =
  | {
      readonly type: 'approval'
      readonly toolCallId: ToolCallId
      readonly granted: boolean
      readonly reason?: string
      /** `session`: stop asking about what the chosen offer covers. */
      readonly scope?: 'once' | 'session'
      /** The id of an offer of the request. Default: the narrowest. An unknown one counts as `once`. */
      readonly offer?: string
      readonly answer?: GivenAnswer
    }
  | {
      readonly type: 'result'
      readonly toolCallId: ToolCallId
      readonly content: ToolContent
      readonly answer?: GivenAnswer
    }

export interface AnswerCalls extends FromDoor {
  readonly type: 'answer-calls'
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly answers: readonly CallAnswer[]
  readonly changes?: SessionChanges
  /** Whether answers are accepted while other calls of the turn are still running. */
  readonly whenRunning: 'refuse' | 'accept'
  readonly idempotency?: IdempotencyKey
  readonly blobs?: readonly NewBlob[]
}

export interface CancelTurn {
  readonly type: 'cancel-turn'
  readonly userId: UserId
  readonly sessionId: SessionId
  /** Cancels only this turn, even if its input is still queued. Absent: the active turn. */
  readonly turnId?: TurnId
  readonly reason: string
  readonly dropQueue: boolean
}

/** Stops one call or the sub-agent that performs it. The turn continues. */
export interface CancelCall {
  readonly type: 'cancel-call'
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly toolCallId: ToolCallId
  readonly reason: string
}

/** Shortens the model's context. Allowed only in an idle session; the history is not changed. */
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

/** The request is durable. Its events start at `seq` in the session's log. */
export interface AdmittedTurn {
  readonly turnId: TurnId
  readonly seq: number
  readonly queued: boolean
  /** The idempotency key was used before. Nothing new was stored. */
  readonly repeated: boolean
}

export interface CommandResults {
  readonly 'create-session': CreatedSession
  readonly 'fork-session': { readonly sessionId: SessionId; readonly turnId?: TurnId }
  readonly 'configure-session': Record<string, never>
  readonly 'start-turn': AdmittedTurn
  /** `changed` is false if no such input waits. */
  readonly 'change-input': { readonly changed: boolean }
  readonly 'answer-calls': AdmittedTurn
  /** `cancelled` is false if no turn was active. This is not an error. */
  readonly 'cancel-turn': { readonly cancelled: boolean }
  /** `cancelled` is false if the call was no longer open. */
  readonly 'cancel-call': { readonly cancelled: boolean }
  /** The compaction was requested. `compaction.ended` reports its result. */
  readonly 'compact-session': { readonly seq: number }
  readonly 'delete-session': Record<string, never>
}

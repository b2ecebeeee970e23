import type { ToolContent } from '../content.ts'
import type { SessionId, ToolCallId, UserId } from '../ids.ts'
import type { FileChange } from '../events/call-events.ts'
import type { CallFacts, CallInspection } from '../events/call-facts.ts'
import type { ToolKind } from '../events/tool-kind.ts'
import type { JsonObject } from '../json.ts'
import type { Grant } from './grant.ts'
import type { NewBlob } from './event-store.ts'

/** `readonly`: no effect. `idempotent`: may run twice. `unsafe`: must not run again if its outcome is unknown. */
export type ToolEffect = 'readonly' | 'idempotent' | 'unsafe'

/** The name of the tool through which a turn returns the value for its `outputSchema`. */
export const RESULT_TOOL = 'submit_result'

export interface Tool {
  readonly name: string
  readonly title?: string
  readonly description: string
  /** JSON Schema of the input object, without `$schema`. */
  readonly parameters: JsonObject
  readonly effect: ToolEffect
  /** Clients can see, enable and trust exposed tools. Other tools are internal to the agent. */
  readonly exposed: boolean
  /** Recorded with each call. Default: `question` or `agent` according to `performer`, otherwise `other`. */
  readonly kind?: ToolKind
  /**
   * Who performs a call. `tool` (default): the `run` method. `user`: the call is a question and its result is the
   * answer. `agent`: a sub-agent in its own loop. For the last two, `run` is never called.
   */
  readonly performer?: 'tool' | 'user' | 'agent'
  /**
   * The type of facts that `inspect` returns. If a mode denies this type for every input, the tool is not offered to
   * the model in that mode. Absent: `inspect` may return any type.
   */
  readonly nature?: CallFacts['type']
  /**
   * Digest of a definition that a third party supplies. Approvals and trust for one definition do not apply to a
   * changed one. Absent for tools of the agent's author.
   */
  readonly definition?: string
  /** Runs programs with all rights of the server. Users other than the server's own have it only if the operator allows. */
  readonly isUnconfined?: true
  /** How long a cancelled turn waits for the tool to stop. Default: 0. */
  readonly stopGraceMs?: number
  /** Contract: no effects, never throws. `run` gets the checked input. */
  check(input: JsonObject): InputCheck
  /**
   * The part of the check that may be slow, such as validation against a schema that a client wrote. Contract: like
   * `check`, but must not block the event loop.
   */
  deepCheck?(input: JsonObject): Promise<InputCheck>
  /**
   * Describes what this call would do, for judging, approving and showing it. Absent: the call is judged by `effect`
   * alone.
   * Contract: gets the checked input, may read, has no effects, never throws. `from` is absent outside of a session.
   */
  inspect?(input: unknown, workspace: Workspace, from?: InspectedFrom): Promise<CallInspection>
  /**
   * The call of another tool that does the same. Rules about that tool apply to this call as well. Contract: pure, never
   * throws.
   */
  sameAs?(input: JsonObject): { readonly tool: string; readonly input: JsonObject } | undefined
  /**
   * Contract: may reject; the error message becomes the result of the call. Stops soon after `signal` aborts. Called
   * only after the call was recorded as started.
   */
  run(invocation: ToolInvocation): Promise<ToolOutput>
}

/** The session whose call is inspected. */
export interface InspectedFrom {
  readonly sessionId: SessionId
  readonly signal: AbortSignal
}

export type InputCheck =
  | { readonly ok: true; readonly input: unknown }
  /** `problem` names the field and says what is wrong; the model reads it. */
  | { readonly ok: false; readonly problem: string }

/** The directories of a session, as absolute paths. They exist when a tool is inspected or run. */
export interface Workspace {
  /** The base of relative paths; the first root. */
  readonly cwd: string
  /** The directories whose files the session's tools may read and write. */
  readonly roots: readonly string[]
  /** Additional directories of this session that tools may only read, such as its kept outputs. */
  readonly readable?: readonly string[]
  /** The roots as they were when the session was opened. A tool refuses a root that has been replaced since. */
  readonly pins?: readonly RootPin[]
}

/** The directory that a root was when it was pinned, or why the root may not be used. */
export type RootPin =
  | { readonly path: string; /** Device and inode. */ readonly identity: string }
  | { readonly path: string; /** A sentence for the model. */ readonly problem: string }

export interface ToolInvocation {
  readonly sessionId: SessionId
  readonly userId: UserId
  /** Also the idempotency key for anything that the tool calls. */
  readonly toolCallId: ToolCallId
  readonly input: unknown
  readonly attempt: number
  readonly signal: AbortSignal
  readonly workspace: Workspace
  /** Code that writes, spawns, fetches or calls out must check it with `requireGrant` first. */
  readonly grant: Grant
  /** Shows output while the tool runs. Readers may miss it, so the result must be complete without it. */
  progress(text: string): void
}

export interface ToolOutput {
  readonly content: ToolContent
  /** Every blob that the content refers to. */
  readonly blobs?: readonly NewBlob[]
  readonly isError?: boolean
  /** For clients, never shown to the model. */
  readonly meta?: JsonObject
  readonly changedFiles?: readonly FileChange[]
  /** The sandbox stopped the call: a sentence that names the cause. The same call might succeed without a sandbox. */
  readonly blocked?: string
}

export function kindOf({ kind, performer }: Pick<Tool, 'kind' | 'performer'>): ToolKind {
  if (kind !== undefined) return kind
  return performer === 'user' ? 'question' : performer === 'agent' ? 'agent' : 'other'
}

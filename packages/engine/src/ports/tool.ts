import type { ToolContent } from '../content.ts'
import type { SessionId, ToolCallId, UserId } from '../ids.ts'
import type { FileChange } from '../events/call-events.ts'
import type { CallFacts, CallInspection } from '../events/call-facts.ts'
import type { ToolKind } from '../events/tool-kind.ts'
import type { JsonObject } from '../json.ts'
import type { Grant } from './grant.ts'
import type { NewBlob } from './event-store.ts'

/** `readonly`: no effect. `idempotent`: may run twice. `unsafe`: never run again when its outcome is unknown. */
export type ToolEffect = 'readonly' | 'idempotent' | 'unsafe'

/** What the tool is called through which a turn gives the value that its `outputSchema` asks for. */
export const RESULT_TOOL = 'submit_result'

export interface Tool {
  readonly name: string
  readonly title?: string
  readonly description: string
  /** JSON Schema of the input object, without `$schema`. */
  readonly parameters: JsonObject
  readonly effect: ToolEffect
  /** Clients may see, enable and trust an exposed tool. An unexposed one is the agent's own business. */
  readonly exposed: boolean
  /** Recorded with each call. Defaults to `question` or `agent` by `performer`, otherwise to `other`. */
  readonly kind?: ToolKind
  /**
   * Who carries a call out. `tool` (unless said otherwise): its `run`. `user`: the call is a question, its result the
   * answer. `agent`: a sub-agent, in a loop of its own. Of the last two, `run` is never called.
   */
  readonly performer?: 'tool' | 'user' | 'agent'
  /**
   * The type of facts that `inspect` tells. A tool that is denied in a mode whatever its input is not offered to the
   * model there; without a nature, `inspect` may tell anything.
   */
  readonly nature?: CallFacts['type']
  /**
   * Digest of what somebody else says the tool is: what was allowed of it is not allowed of one that has changed. Absent
   * for a tool of the agent's author.
   */
  readonly definition?: string
  /** How long a turn that is cancelled waits for the tool to stop what it began; not at all unless said otherwise. */
  readonly stopGraceMs?: number
  /** Contract: no effects, never throws. The checked input is what `run` gets. */
  check(input: JsonObject): InputCheck
  /**
   * The part of the check that may take long, such as a schema that a client wrote. Contract: like `check`, but never on
   * the event loop for longer than a moment.
   */
  deepCheck?(input: JsonObject): Promise<InputCheck>
  /**
   * What this one call would do: for whoever judges, approves or shows it. Absent: it is judged by `effect` alone.
   * Contract: gets the checked input, may read, has no effects, never throws.
   */
  inspect?(input: unknown, workspace: Workspace): Promise<CallInspection>
  /**
   * Contract: may reject; the rejection's message becomes the result of the call. Stops soon after `signal` aborts.
   * It is called only after the call was recorded as started.
   */
  run(invocation: ToolInvocation): Promise<ToolOutput>
}

export type InputCheck =
  | { readonly ok: true; readonly input: unknown }
  /** `problem` names the field and says what is wrong; the model reads it. */
  | { readonly ok: false; readonly problem: string }

/** Where a session works. Absolute paths; the directories exist when a tool is inspected or run. */
export interface Workspace {
  /** Where relative paths begin; the first of the roots. */
  readonly cwd: string
  /** The directories whose files the session's tools may touch. */
  readonly roots: readonly string[]
  /** Further directories, of the session alone, whose files tools may read: what was kept for it. */
  readonly readable?: readonly string[]
  /** What the roots were when the session was opened. A tool refuses a root that is something else by now. */
  readonly pins?: readonly RootPin[]
}

/** Which directory a root is, whatever its name leads to later, or why it may not be used. */
export type RootPin =
  | { readonly path: string; /** Device and inode. */ readonly identity: string }
  | { readonly path: string; /** A sentence for the model. */ readonly problem: string }

export interface ToolInvocation {
  readonly sessionId: SessionId
  readonly userId: UserId
  /** Also the idempotency key for whatever the tool calls. */
  readonly toolCallId: ToolCallId
  readonly input: unknown
  readonly attempt: number
  readonly signal: AbortSignal
  readonly workspace: Workspace
  /** Whatever writes, spawns, fetches or calls out checks it with `requireGrant` first. */
  readonly grant: Grant
  /** Shows output while the tool runs. Live only: readers may miss it, the result says all that matters. */
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
}

export function kindOf({ kind, performer }: Pick<Tool, 'kind' | 'performer'>): ToolKind {
  if (kind !== undefined) return kind
  return performer === 'user' ? 'question' : performer === 'agent' ? 'agent' : 'other'
}

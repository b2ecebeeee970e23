import { z } from 'zod'
import { toolContent } from '../content.ts'
import { type Stored, jsonObject, loopId, toolCallId, turnId } from '../stored-schema.ts'
import { defineEvent } from './define-event.ts'

const ofCall = {
  turnId,
  /** Absent for the agent's own loop. */
  loopId: loopId.optional(),
  toolCallId,
}

/** The client's answer in its original form, for clients of the same kind. The model reads the output of the call. */
const givenAnswer = jsonObject

/** One way of answering *always allow*. */
const coverOffer = z.object({
  /** Names the offer in an answer. `call`: exactly this command. `program`: with any arguments. `tool`: every call. */
  id: z.enum(['call', 'program', 'tool', 'call-project', 'program-project', 'tool-project']),
  /** For people: `Always allow npm test with any arguments in this session`. */
  label: z.string(),
  /** The key that later calls are compared by. */
  covers: z.string(),
  /** The directory whose later sessions it covers too. Absent: this session only. */
  project: z.string().optional(),
})

export const approvalRequested = defineEvent('approval.requested', {
  ...ofCall,
  /** A hash of exactly what will run. A grant covers this and nothing else. */
  callHash: z.string(),
  /** The mode or the rule that asks. */
  reason: z.string().optional(),
  /** What *always allow* can cover, narrowest first. Absent in logs of earlier versions. */
  offers: z.array(coverOffer).optional(),
  /** Whether *always allow in this session* is offered. */
  isCoverable: z.boolean().optional(),
  /** What that covers, if not every tool of this name. */
  covers: z.string().optional(),
  /** The call gets network access. Whom it is known to talk to. */
  network: z.array(z.string()).optional(),
  /** The call gets write access to these folders outside of the workspace. */
  writes: z.array(z.string()).optional(),
  /** A digest of what the shown change starts from. */
  before: z.string().optional(),
  /**
   * The call failed because of its sandbox, and the approval is for running it again without one. Any other answer makes
   * this its result.
   */
  failed: z.object({ output: z.string(), meta: jsonObject.optional(), durationMs: z.number().optional() }).optional(),
})

export const approvalResolved = defineEvent('approval.resolved', {
  ...ofCall,
  granted: z.boolean(),
  reason: z.string().optional(),
  /** `session`: do not ask again about what the chosen offer covers. */
  scope: z.enum(['once', 'session']).optional(),
  /** The chosen offer. Absent with the scope `session`: the narrowest one. */
  offer: z.string().optional(),
  answer: givenAnswer.optional(),
  /** The name of the door that the answer came through. */
  via: z.string().optional(),
})

/** Recorded before the tool runs, so that the log shows after a crash what may have happened. */
export const toolCallStarted = defineEvent('tool-call.started', {
  ...ofCall,
  attempt: z.number(),
  callHash: z.string(),
})

/** A stop of this call was requested, not of the turn. */
export const toolCallCancelRequested = defineEvent('tool-call.cancel-requested', { ...ofCall, reason: z.string() })

/** `unknown`: the process died while the call was running, so the call may have had its effect. */
const callStatus = z.enum(['completed', 'failed', 'denied', 'cancelled', 'unknown'])

const fileChange = z.object({
  path: z.string(),
  change: z.enum(['created', 'modified', 'deleted']),
  /** The blob with what the file was before. Absent for a new file, for a large one and in logs of earlier versions. */
  before: z.string().optional(),
  /** SHA-256 of what the file is afterwards. */
  after: z.string().optional(),
})

export const toolCallSettled = defineEvent('tool-call.settled', {
  ...ofCall,
  status: callStatus,
  output: toolContent,
  /** Who produced the output: the tool, the client that was asked, or the engine (denials, refusals). */
  by: z.enum(['tool', 'client', 'engine']),
  /** Cancelled by new input. Its turn starts in the same transaction. */
  isSuperseded: z.boolean().optional(),
  durationMs: z.number().optional(),
  /** For clients; the model does not see it. */
  meta: jsonObject.optional(),
  changedFiles: z.array(fileChange).optional(),
  answer: givenAnswer.optional(),
  /** The name of the door that a client's result came through. */
  via: z.string().optional(),
})

export type CoverOffer = Stored<typeof coverOffer>
export type GivenAnswer = Stored<typeof givenAnswer>
export type FailedAttempt = NonNullable<ApprovalRequested['failed']>
export type ApprovalRequested = Stored<typeof approvalRequested>
export type ApprovalResolved = Stored<typeof approvalResolved>
export type ToolCallStarted = Stored<typeof toolCallStarted>
export type ToolCallCancelRequested = Stored<typeof toolCallCancelRequested>
export type CallStatus = Stored<typeof callStatus>
export type FileChange = Stored<typeof fileChange>
export type ToolCallSettled = Stored<typeof toolCallSettled>

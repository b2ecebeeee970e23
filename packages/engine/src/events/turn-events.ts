import { z } from 'zod'
import { userContent } from '../content.ts'
import { type Stored, entryId, json, jsonObject, names, sessionId, toolCallId, turnId } from '../stored-schema.ts'
import { defineEvent, failure } from './define-event.ts'

/** Settings for a single turn. */
export const turnSettings = z.object({
  /** `provider/model`. Absent: the session's model. */
  model: z.string().optional(),
  /** Planning begins or ends with this turn and stays so for later turns. Absent: no change. */
  isPlanning: z.boolean().optional(),
  /**
   * Nobody can be asked. Calls that would ask are allowed, unless only a person may answer. Denials stay, and questions
   * are not offered.
   */
  isUnattended: z.boolean().optional(),
  /** The input is not the user's own text, for example the prompt of a schedule that an agent made. */
  isOthersText: z.boolean().optional(),
  /** Tools that are not offered to the model. */
  withheldTools: names.optional(),
  /** A JSON Schema. The turn ends with a value of this shape or fails. */
  outputSchema: jsonObject.optional(),
  /** `interrupt`: the turn ends when its process dies. Absent: the server's setting. */
  recovery: z.literal('interrupt').optional(),
  /** The API key that the turn was requested with. Its cost counts against this key. */
  keyId: z.string().optional(),
})

export const inputAdmitted = defineEvent('input.admitted', {
  inputId: entryId,
  /** The id of the turn that the input will start. A queued input has it before its turn starts. */
  turnId,
  content: userContent,
  settings: turnSettings.optional(),
  /**
   * How the door's client composed the content, for clients of the same kind. The engine reads only that it is there: then
   * parts of the text may be quoted.
   */
  given: jsonObject.optional(),
  /** The name of the door that it came through. */
  via: z.string().optional(),
})

/** The user reworded an input that waits for its turn. It keeps its place. */
export const inputChanged = defineEvent('input.changed', {
  inputId: entryId,
  content: userContent,
  via: z.string().optional(),
})

export const inputDropped = defineEvent('input.dropped', { inputId: entryId, reason: z.string() })

/** A turn without an input continues a seeded history whose last calls wait for their client. */
export const turnStarted = defineEvent('turn.started', {
  turnId,
  inputId: entryId.optional(),
  parentEntryId: entryId.optional(),
  /** What a takeover does with the turn after its process died. */
  recovery: z.enum(['continue', 'interrupt']),
})

/** Every open call waits for a person or a client. Nobody owns the turn until one of them answers. */
export const turnPaused = defineEvent('turn.paused', {
  turnId,
  /** All waiting calls, if a sub-agent's is among them. A reader that starts in the middle of the turn needs them here. */
  calls: z.array(z.object({ toolCallId, name: z.string(), input: jsonObject })).optional(),
})

export const turnResumed = defineEvent('turn.resumed', {
  turnId,
  /** The open calls of sub-agents that waited, at this pause or an earlier one. */
  waited: z.array(toolCallId).optional(),
})

export const turnCancelRequested = defineEvent('turn.cancel-requested', { turnId, reason: z.string() })

/** The process stopped in an orderly way and leaves the running turn to the next one. */
export const turnHandedOver = defineEvent('turn.handed-over', { turnId })

/** A new process continues the turn. `count`: how often a process died while it ran the turn. */
export const turnTakenOver = defineEvent('turn.taken-over', { turnId, count: z.number() })

export const turnOutcome = z.enum([
  'finished',
  'token-limit',
  'refused',
  'step-limit',
  'cancelled',
  'failed',
  'interrupted',
])

export const turnEnded = defineEvent('turn.ended', {
  turnId,
  outcome: turnOutcome,
  error: failure.optional(),
  /** The value that the turn's `outputSchema` asked for. */
  output: json.optional(),
})

const recalledMemory = z.object({
  memoryId: z.number(),
  content: z.string(),
  skillName: z.string().optional(),
  /** The session in which an agent stored the memory. Absent: the user wrote it. */
  sourceSession: sessionId.optional(),
  /** Absent: unknown. */
  origin: z.enum(['user', 'tool']).optional(),
  sourceTool: z.string().optional(),
})

/**
 * The memories that are relevant to this turn. Recorded so that the turn gets the same ones when it continues after a
 * crash.
 */
export const memoriesRecalled = defineEvent('memories.recalled', { turnId, memories: z.array(recalledMemory) })

const instructionSource = z.object({
  /** Absolute. */
  path: z.string(),
  /** `used`: the model reads it as instructions. `named`: the model knows only that the file exists. */
  use: z.enum(['used', 'named']),
  /** A sentence that the user sees before the model follows the file, or that says why it does not. */
  notice: z.string().optional(),
})

/**
 * The place where the session works, as the model is told about it. Recorded so that the turn sends the same request when
 * it continues after a crash. The newest description holds until the next one.
 */
export const surroundingsNoted = defineEvent('surroundings.noted', {
  turnId,
  /** Changes whenever the place has to be described again. */
  fingerprint: z.string(),
  text: z.string(),
  /** Files with instructions for agents. */
  sources: z.array(instructionSource),
})

export type TurnSettings = Stored<typeof turnSettings>
export type InputAdmitted = Stored<typeof inputAdmitted>
export type InputDropped = Stored<typeof inputDropped>
export type TurnStarted = Stored<typeof turnStarted>
export type TurnPaused = Stored<typeof turnPaused>
export type TurnResumed = Stored<typeof turnResumed>
export type TurnCancelRequested = Stored<typeof turnCancelRequested>
export type TurnHandedOver = Stored<typeof turnHandedOver>
export type TurnTakenOver = Stored<typeof turnTakenOver>
export type TurnOutcome = Stored<typeof turnOutcome>
export type TurnEnded = Stored<typeof turnEnded>
export type RecalledMemory = Stored<typeof recalledMemory>
export type MemoriesRecalled = Stored<typeof memoriesRecalled>
export type InstructionSource = Stored<typeof instructionSource>
export type SurroundingsNoted = Stored<typeof surroundingsNoted>

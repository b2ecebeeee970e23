import { z } from 'zod'
import { usage } from '../content.ts'
import { type Stored, entryId, loopId, toolCallId, turnId } from '../stored-schema.ts'
import { defineEvent, failure } from './define-event.ts'
import { turnOutcome } from './turn-events.ts'

/** A sub-agent starts. Its steps and calls carry its loop id; its result is the result of the call. */
export const loopStarted = defineEvent('loop.started', {
  turnId,
  loopId,
  parentToolCallId: toolCallId,
  parentLoopId: loopId,
  /** 1 for a sub-agent of the session's own agent. */
  depth: z.number(),
  agent: z.string(),
  /** A few words for people who watch. */
  description: z.string(),
  /** The complete prompt of the sub-agent. */
  prompt: z.string(),
})

const loopOutcome = z.enum([...turnOutcome.options, 'deadline'])

export const loopEnded = defineEvent('loop.ended', {
  turnId,
  loopId,
  outcome: loopOutcome,
  error: failure.optional(),
})

/** A compaction of an idle session was requested. */
export const compactionRequested = defineEvent('compaction.requested', {})

/** `auto`: the context is close to the model's window. `forced`: the provider rejected the context as too long. */
const compactionTrigger = z.enum(['auto', 'manual', 'forced'])

/** The context of a loop's model is being shortened. The history stays as it is. */
export const compactionStarted = defineEvent('compaction.started', {
  /** A compaction is an entry, so later entries descend from it. */
  compactionId: entryId,
  /** Absent for an idle session. */
  turnId: turnId.optional(),
  /** Absent for the agent's own loop. */
  loopId: loopId.optional(),
  parentEntryId: entryId.optional(),
  trigger: compactionTrigger,
  model: z.string(),
  tokensBefore: z.number(),
})

export const compactionEnded = defineEvent('compaction.ended', {
  compactionId: entryId,
  turnId: turnId.optional(),
  loopId: loopId.optional(),
  outcome: z.enum(['completed', 'failed']),
  /** Replaces everything that the loop's model got up to and including the event `throughSeq`. */
  summary: z.string().optional(),
  throughSeq: z.number().optional(),
  tokensAfter: z.number().optional(),
  usage: usage.optional(),
  error: failure.optional(),
  /** As in `step.answered`. */
  exchange: z.string().optional(),
})

export type LoopStarted = Stored<typeof loopStarted>
export type LoopOutcome = Stored<typeof loopOutcome>
export type LoopEnded = Stored<typeof loopEnded>
export type CompactionTrigger = Stored<typeof compactionTrigger>
export type CompactionStarted = Stored<typeof compactionStarted>
export type CompactionEnded = Stored<typeof compactionEnded>

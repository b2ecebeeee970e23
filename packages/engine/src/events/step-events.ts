import { z } from 'zod'
import { stepBlocks, usage } from '../content.ts'
import { type Stored, entryId, loopId, toolCallId, turnId } from '../stored-schema.ts'
import { callInspection } from './call-facts.ts'
import { defineEvent, failure } from './define-event.ts'
import { spentBudget } from './spent-budget.ts'
import { toolKind } from './tool-kind.ts'

export const stepStarted = defineEvent('step.started', {
  turnId,
  /** A step is an entry: the parent of the next one. */
  stepId: entryId,
  loopId,
  parentToolCallId: toolCallId.optional(),
  parentEntryId: entryId.optional(),
  model: z.string(),
  /** The step may use numbers of live batches up to this one. */
  reservedBatches: z.number().optional(),
})

const stepFinish = z.enum(['stop', 'tool-calls', 'token-limit', 'refused'])

/**
 * Who settles a call. `server`: a tool of the agent, or nobody if the name is unknown. `client`: a tool of the client,
 * which sends the result. `question`: the user, who answers it. `agent`: a sub-agent.
 */
const callRoute = z.enum(['server', 'client', 'question', 'agent'])

/** The whole answer of one model call: all blocks in order, all calls with their complete input. */
export const stepAnswered = defineEvent('step.answered', {
  turnId,
  /** Absent for the agent's own loop. */
  loopId: loopId.optional(),
  stepId: entryId,
  blocks: stepBlocks,
  /** One entry per tool-call block. */
  routes: z.record(z.string(), callRoute),
  /** The kinds of the called tools. Absent for client tools, unknown tools and the kind `other`. */
  kinds: z.record(z.string(), toolKind).optional(),
  finish: stepFinish,
  usage,
  /** What the tools said about their calls. */
  inspections: z.record(z.string(), callInspection).optional(),
  /** The number of the session's newest live batch. */
  liveBatches: z.number().optional(),
  /** The blob with the request to the model and its answer, in a session that keeps them. */
  exchange: z.string().optional(),
  /** The engine asks its own question here; no model was called. The model never sees the question or its answer. */
  by: z.literal('engine').optional(),
  /** What the engine asks about: whether more may be spent. */
  budget: spentBudget.optional(),
})

const stepOutcome = z.enum(['completed', 'cancelled', 'failed', 'interrupted'])

/** An answered step ends when all its calls are settled. An unanswered step keeps the text that it had. */
export const stepEnded = defineEvent('step.ended', {
  turnId,
  /** Absent for the agent's own loop. */
  loopId: loopId.optional(),
  stepId: entryId,
  outcome: stepOutcome,
  partial: stepBlocks.optional(),
  error: failure.optional(),
  /** The usage of an unanswered step, if the provider reported it. */
  usage: usage.optional(),
  /** The number of the session's newest live batch, or one beyond every number that may have been used. */
  liveBatches: z.number().optional(),
  /** As in `step.answered`. */
  exchange: z.string().optional(),
})

export type StepStarted = Stored<typeof stepStarted>
export type StepFinish = Stored<typeof stepFinish>
export type CallRoute = Stored<typeof callRoute>
export type StepAnswered = Stored<typeof stepAnswered>
export type StepOutcome = Stored<typeof stepOutcome>
export type StepEnded = Stored<typeof stepEnded>

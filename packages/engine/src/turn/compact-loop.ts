import type { Usage } from '../content.ts'
import { withCost } from '../cost/price.ts'
import { NOTHING_TO_COMPACT } from '../state/usage-row.ts'
import type { CompactionEnded, CompactionTrigger } from '../events/loop-events.ts'
import type { Failure } from '../events/recorded-event.ts'
import { ROOT_LOOP, type TurnId } from '../ids.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import type { ModelMessage, ModelRequest } from '../ports/model.ts'
import { findLoop, isChild, type AnyLoop } from '../state/session-state.ts'
import type { ModelContext } from '../views/model-context.ts'
import { buildModelRequest } from './build-model-request.ts'
import { countContext, countMessages, countTokens, guessContext, sizeOfMessage } from './estimate-tokens.ts'
import type { Judging } from './judge-calls.ts'
import {
  ASKED_FOR,
  BELIEVED_BELOW,
  COMPACT_AT,
  KEPT_SHARE,
  planCompaction,
  type CompactionAim,
  type CompactionPlan,
} from './plan-compaction.ts'
import { RunnerStopped, isOwnEnd, stopReasonOf, type RunDeps } from './turn-deps.ts'

/**
 * After this many unsuccessful compactions in a row, the engine stops compacting and lets the provider report a context
 * that is too long.
 */
const MOST_IN_VAIN = 2
const INSTRUCTIONS =
  'Summarise the conversation for yourself, so that you can go on without it. Keep what the user wants and has decided, ' +
  'what was done and found, names, numbers, paths and open questions. Leave out what no longer matters. Write nothing but ' +
  'the summary.'

export interface CompactionWish {
  readonly trigger: CompactionTrigger
  readonly turnId?: TurnId
}

/** Compacts the context of the loop if necessary. */
export async function compactIfDue(loop: AnyLoop, line: Judging['line'], turnId: TurnId, deps: RunDeps): Promise<void> {
  const { session } = deps
  const [agent] = line
  const window = agent.contextWindow ?? agent.model.contextWindow
  if (window === undefined || session.state.vainCompactions >= MOST_IN_VAIN) return
  const context = await session.context(loop)
  const most = window * COMPACT_AT
  if (guessContext(context, agent.instructions, agent.model) < most * BELIEVED_BELOW) return
  if ((await countContext(context, agent.instructions, agent.model)) < most) return
  await compactLoop(loop, line, { trigger: 'auto', turnId }, deps)
}

/** Whether the context certainly needs no compaction with these messages added. `undefined`: it is not in memory. */
export function hasRoomFor(
  context: ModelContext | undefined,
  added: readonly ModelMessage[],
  { contextWindow, model, instructions }: AgentDefinition,
): boolean {
  const window = contextWindow ?? model.contextWindow
  if (window === undefined) return true
  if (context === undefined) return false
  const size = added.reduce((sum, message) => sum + sizeOfMessage(message, model), 0)
  return guessContext(context, instructions, model) + size < window * COMPACT_AT * BELIEVED_BELOW
}

/** Asks the model for a summary and records it. Returns whether there was something to compact. */
export async function compactLoop(
  loop: AnyLoop,
  line: Judging['line'],
  { trigger, turnId }: CompactionWish,
  deps: RunDeps,
): Promise<boolean> {
  const { session, fence, ids } = deps
  const [agent] = line
  const { model } = agent
  const context = await session.context(loop)
  const tokensBefore = await countContext(context, agent.instructions, model)
  const plan = planCompaction(context, aimOf(trigger, agent, tokensBefore), model)
  if (plan === undefined && trigger !== 'manual') return false
  const compactionId = ids.entryId()
  const place = { compactionId, ...(turnId && { turnId }), ...(isChild(loop) && { loopId: loop.loopId }) }
  await session.commit(
    (state) => ({
      events: [
        {
          type: 'compaction.started',
          ...place,
          ...(state.head && !isChild(loop) && { parentEntryId: state.head }),
          trigger,
          model: agent.modelName,
          tokensBefore,
        },
      ],
    }),
    fence,
  )
  const ended = plan === undefined ? failedWith(NOTHING) : await summarise(plan, tokensBefore, loop, line, deps)
  const stop = stopReasonOf(deps.signal)
  if (stop !== undefined && stop !== 'cancel' && !isOwnEnd(stop)) throw new RunnerStopped()
  await session.commit(({ turn }) => {
    const isStillThere = isChild(loop) ? turn !== undefined && findLoop(turn, loop.loopId) !== undefined : true
    return { events: isStillThere ? [{ type: 'compaction.ended', ...place, ...ended }] : [] }
  }, fence)
  return ended.outcome === 'completed'
}

/**
 * If the provider says that the context is too long, its window may be smaller than the configured one. So the size of
 * the context counts too.
 */
function aimOf(trigger: CompactionTrigger, agent: AgentDefinition, tokensBefore: number): CompactionAim {
  if (trigger === 'manual') return ASKED_FOR
  const window = agent.contextWindow ?? agent.model.contextWindow ?? Infinity
  return { kept: KEPT_SHARE * (trigger === 'forced' ? Math.min(window, tokensBefore) : window), fewestNew: 1 }
}

/** Whether a forced compaction has anything to compact. */
export async function canForce(loop: AnyLoop, line: Judging['line'], { session }: RunDeps): Promise<boolean> {
  const { turn } = session.state
  if (turn === undefined || turn.isForced || turn.cancelled !== undefined) return false
  const [agent] = line
  const context = await session.context(loop)
  const tokens = await countContext(context, agent.instructions, agent.model)
  return planCompaction(context, aimOf('forced', agent, tokens), agent.model) !== undefined
}

const NOTHING: Failure = { code: NOTHING_TO_COMPACT, message: 'There is nothing to compact yet.' }
const NO_SHORTER: Failure = {
  code: 'summary-too-long',
  message: 'The summary is not shorter than the text that it replaces.',
}

type Ended = Pick<CompactionEnded, 'outcome' | 'summary' | 'throughSeq' | 'tokensAfter' | 'usage' | 'error'>

const failedWith = (error: Failure): Ended => ({ outcome: 'failed', error })

async function summarise(
  plan: CompactionPlan,
  tokensBefore: number,
  loop: AnyLoop,
  line: Judging['line'],
  deps: RunDeps,
): Promise<Ended> {
  const [agent] = line
  const request: ModelRequest = {
    ...(await buildModelRequest(loop, line, deps)),
    system: INSTRUCTIONS,
    messages: plan.messages,
    tools: [],
    purpose: 'summary',
  }
  const answer = await askForText(request, line, deps)
  const usage = answer.usage && { usage: withCost(answer.usage, agent.modelName, deps.prices) }
  if (answer.error !== undefined) return { ...failedWith(answer.error), ...usage }
  const share = await shareLeft(await deps.session.context(loop), answer.text, plan.throughSeq, agent)
  if (share >= 1) return { ...failedWith(NO_SHORTER), ...usage }
  return {
    outcome: 'completed',
    summary: answer.text,
    throughSeq: plan.throughSeq,
    tokensAfter: Math.round(tokensBefore * share),
    ...usage,
  }
}

/**
 * The share of the context that remains with this summary. Both sizes are our own estimates, so that they are
 * comparable.
 */
async function shareLeft(
  context: ModelContext,
  summary: string,
  throughSeq: number,
  { instructions, model }: AgentDefinition,
): Promise<number> {
  const around = await countTokens(instructions, model)
  const before = await countMessages(context.messages(), model)
  const after = await countMessages(context.messagesWith(summary, throughSeq), model)
  return (around + after) / (around + before)
}

interface TextAnswer {
  readonly text: string
  readonly usage?: Usage
  readonly error?: Failure
}

/** A summary is not streamed. */
async function askForText(
  request: ModelRequest,
  line: Judging['line'],
  { signal, log, session }: RunDeps,
): Promise<TextAnswer> {
  const failed = (message: string): TextAnswer => ({ text: '', error: { code: 'no-summary', message } })
  let text = ''
  try {
    for await (const output of line[0].model.stream(request, signal)) {
      if (signal.aborted) return failed('The summary was cancelled.')
      if (output.type === 'text') text += output.text
      if (output.type === 'failed')
        return { text: '', error: output.error, ...(output.usage && { usage: output.usage }) }
      if (output.type === 'finished')
        return {
          ...(text.trim() === '' ? failed('The model gave no summary.') : { text: text.trim() }),
          usage: output.usage,
        }
    }
  } catch (error) {
    log({ level: 'error', message: 'a summary failed', sessionId: session.id, error })
  }
  return failed('The model gave no summary.')
}

export const ROOT: AnyLoop = { loopId: ROOT_LOOP, answeredSteps: 0 }

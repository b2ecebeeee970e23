import { NOTHING_TO_COMPACT } from '../state/usage-row.ts'
import type { CompactionTrigger } from '../events/loop-events.ts'
import type { Failure, RecordedEvent } from '../events/recorded-event.ts'
import { ROOT_LOOP } from '../ids.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import type { ModelMessage } from '../ports/model.ts'
import { findLoop, isChild, type AnyLoop } from '../state/session-state.ts'
import type { ModelContext } from '../views/model-context.ts'
import { countContext, guessContext, sizeOfMessage } from './estimate-tokens.ts'
import { ExchangeRecorder } from './model-exchange.ts'
import type { LoopRound, TurnRound } from './loop-place.ts'
import {
  ASKED_FOR,
  BELIEVED_BELOW,
  COMPACT_AT,
  KEPT_SHARE,
  planCompaction,
  type CompactionAim,
} from './plan-compaction.ts'
import { summarise, type CompactionResult } from './summarise.ts'
import { RunnerStopped, isOwnEnd, stopReasonOf, type RunDeps } from './turn-deps.ts'

/**
 * After this many unsuccessful compactions in a row, the engine stops compacting and lets the provider report a context
 * that is too long.
 */
const MOST_IN_VAIN = 2
const NOTHING: Failure = { code: NOTHING_TO_COMPACT, message: 'There is nothing to compact yet.' }

/** The loop of the session's own agent between two turns. */
export const ROOT: AnyLoop = { loopId: ROOT_LOOP, answeredSteps: 0 }

/** Compacts the context of the loop if necessary. */
export async function compactIfDue(round: TurnRound, deps: RunDeps): Promise<void> {
  const { session } = deps
  const [agent] = round.line
  const window = agent.contextWindow ?? agent.model.contextWindow
  if (window === undefined || session.state.vainCompactions >= MOST_IN_VAIN) return
  const context = await session.context(round.loop)
  const most = window * COMPACT_AT
  if (guessContext(context, agent.instructions, agent.model) < most * BELIEVED_BELOW) return
  if ((await countContext(context, agent.instructions, agent.model)) < most) return
  await compactLoop(round, 'auto', deps)
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
export async function compactLoop(round: LoopRound, trigger: CompactionTrigger, deps: RunDeps): Promise<boolean> {
  const { session, fence, ids } = deps
  const { turnId, loop, line } = round
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
  const exchange = new ExchangeRecorder(session.state)
  const ended: CompactionResult =
    plan === undefined
      ? { outcome: 'failed', error: NOTHING }
      : await summarise({ plan, tokensBefore, exchange }, round, deps)
  const stop = stopReasonOf(deps.signal)
  if (stop !== undefined && stop !== 'cancel' && !isOwnEnd(stop)) throw new RunnerStopped()
  await session.commit(({ turn }) => {
    const isStillThere = isChild(loop) ? turn !== undefined && findLoop(turn, loop.loopId) !== undefined : true
    const events: RecordedEvent[] = isStillThere ? [{ type: 'compaction.ended', ...place, ...ended }] : []
    return exchange.addTo({ events }, compactionId, deps.digest)
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
export async function canForce({ loop, line }: LoopRound, { session }: RunDeps): Promise<boolean> {
  const { turn } = session.state
  if (turn === undefined || turn.isForced || turn.cancelled !== undefined) return false
  const [agent] = line
  const context = await session.context(loop)
  const tokens = await countContext(context, agent.instructions, agent.model)
  return planCompaction(context, aimOf('forced', agent, tokens), agent.model) !== undefined
}

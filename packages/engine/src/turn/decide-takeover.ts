import type { StepBlock } from '../content.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'
import { ROOT_LOOP, type EntryId } from '../ids.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import type { Draft } from '../ports/event-store.ts'
import { stepEndIfSettled } from '../session/decide-answers.ts'
import { findSessionAgent, type AgentParts } from '../session/session-agent.ts'
import type { DecideContext } from '../session/decision.ts'
import {
  childOf,
  isChild,
  loopsOf,
  openCallsIn,
  type ActiveTurn,
  type AnyLoop,
  type LoopProgress,
  type OpenCall,
  type SessionState,
} from '../state/session-state.ts'
import type { ToolEffect } from '../ports/tool.ts'
import { endTurn, keptBlocks, nextQueuedTurn, type TurnEnd } from '../session/end-turn.ts'

/** A turn fails after this many processes died while they ran it. Orderly stops do not count. */
const TAKEOVER_LIMIT = 3
const UNKNOWN_OUTCOME =
  'Outcome unknown: the server stopped while this call was running. It may or may not have taken effect; check before repeating it.'
const NOT_RUN = 'Tool call cancelled: the turn was interrupted before it had run'

export interface TakeoverContext extends Pick<DecideContext, 'recovery'>, AgentParts {
  /** The process that ran the turn died. Only such takeovers count towards the limit. */
  readonly isFromDead: boolean
}

type SessionWithTurn = SessionState & { readonly turn: ActiveTurn }

/**
 * Returns the events that a new owner records about a turn whose process died. Finished steps are kept. An unfinished
 * model step keeps the saved text and is asked again. Running calls are repeated only if that is harmless. Recovery is
 * idempotent: a second run finds nothing to repair.
 */
export function decideTakeover(
  state: SessionWithTurn,
  drafts: readonly Draft[],
  context: TakeoverContext,
): RecordedEvent[] {
  const { turn } = state
  const { turnId } = turn
  const isCounted = context.isFromDead && turn.isHandedOver !== true
  const count = turn.takeovers + (isCounted ? 1 : 0)
  const end = endOf(state, count, findSessionAgent(state, state.agent, context))
  const unrepeated: readonly ToolEffect[] = end === undefined ? ['unsafe'] : ['unsafe', 'idempotent']
  const unknown = loopsOf(turn).flatMap((loop) => {
    const agent = findSessionAgent(state, isChild(loop) ? loop.agent : state.agent, context)
    return unknownCalls(turn, loop, ({ name }) => unrepeated.includes(effectOf(agent, name)))
  })
  const events: RecordedEvent[] = [{ type: 'turn.taken-over', turnId, count }, ...unknown]
  const shown = reservedIn(state, drafts)
  if (end !== undefined) {
    const partialOf = (stepId: EntryId) => blocksOf(drafts, stepId)
    const ended = endTurn(withoutSettled(turn, unknown), { ...end, openCalls: NOT_RUN, partialOf, ...shown })
    return [...events, ...ended, ...nextQueuedTurn(state, context)]
  }
  for (const { loopId, step } of loopsOf(turn)) {
    if (step?.phase !== 'asking') {
      events.push(...stepEndIfSettled(turn, unknown, loopId))
      continue
    }
    const kept = keptBlocks(blocksOf(drafts, step.stepId))
    const partial = kept.length > 0 && { partial: kept }
    events.push({ type: 'step.ended', turnId, stepId: step.stepId, outcome: 'interrupted', ...partial, ...shown })
  }
  return events
}

/** A compaction whose process died had no effect. The next model call starts a new one if necessary. */
export function endCutCompaction({ compaction, turn }: SessionState): RecordedEvent[] {
  if (compaction === undefined) return []
  const { compactionId, loopId } = compaction
  const error = { code: 'interrupted', message: 'The server stopped while it was compacting.' }
  return [
    {
      type: 'compaction.ended',
      compactionId,
      ...(turn && { turnId: turn.turnId }),
      ...(loopId !== ROOT_LOOP && { loopId }),
      outcome: 'failed',
      error,
    },
  ]
}

/** Another death of a process would end the turn: whoever runs it next is its last chance. */
export const isLastChance = ({ turn }: SessionState): boolean =>
  turn !== undefined && turn.isHandedOver !== true && turn.takeovers === TAKEOVER_LIMIT - 1

/** Why the turn cannot continue; `undefined` if it can. */
function endOf(
  { turn, agent: name }: SessionWithTurn,
  count: number,
  agent: AgentDefinition | undefined,
): Pick<TurnEnd, 'outcome' | 'error'> | undefined {
  const end = (outcome: 'failed' | 'interrupted', message: string) => ({ outcome, error: { code: outcome, message } })
  if (turn.cancelled !== undefined) return { outcome: 'cancelled' }
  if (agent === undefined) return end('failed', `The agent ${name} is no longer offered.`)
  if (turn.recovery === 'interrupt') return end('interrupted', 'The server stopped while this turn was running.')
  if (count > TAKEOVER_LIMIT) return end('failed', `The server died ${count} times while this turn was running.`)
  return undefined
}

/** Started calls that may have had an effect and are not repeated. Sub-agents continue where they stopped. */
function unknownCalls(turn: ActiveTurn, loop: AnyLoop, isUnrepeated: (call: OpenCall) => boolean): RecordedEvent[] {
  return openCallsIn(loop)
    .filter((call) => call.phase === 'running' && childOf(turn, call.toolCallId) === undefined)
    .filter(isUnrepeated)
    .map(({ toolCallId }) => ({
      type: 'tool-call.settled',
      turnId: turn.turnId,
      toolCallId,
      status: 'unknown',
      output: UNKNOWN_OUTCOME,
      by: 'engine',
    }))
}

const effectOf = (agent: AgentDefinition | undefined, toolName: string): ToolEffect =>
  agent?.tools.find((tool) => tool.name === toolName)?.effect ?? 'unsafe'

/** Skips the batch numbers that the crashed step may have used. */
function reservedIn({ batches }: SessionState, drafts: readonly Draft[]): { readonly liveBatches?: number } {
  const reserved = Math.max(batches.reserved, ...drafts.map((draft) => draft.reservedBatches ?? 0))
  return reserved > batches.recorded ? { liveBatches: reserved } : {}
}

function withoutSettled(turn: ActiveTurn, settled: readonly RecordedEvent[]): ActiveTurn {
  if (settled.length === 0) return turn
  const ids = new Set(settled.flatMap((event) => (event.type === 'tool-call.settled' ? [event.toolCallId] : [])))
  const settle = <L extends LoopProgress>(loop: L): L => {
    if (loop.step === undefined) return loop
    const calls = loop.step.calls.map((call) =>
      ids.has(call.toolCallId) ? { ...call, phase: 'settled' as const } : call,
    )
    return { ...loop, step: { ...loop.step, calls } }
  }
  return settle({ ...turn, children: turn.children.map(settle) })
}

function blocksOf(drafts: readonly Draft[], stepId: EntryId): readonly StepBlock[] {
  return drafts
    .filter((draft) => draft.stepId === stepId)
    .toSorted((a, b) => a.block - b.block)
    .map(({ kind, text }) => ({ type: kind, text }))
}

/** A new runner finds unfinished work only if the previous runner could not finish. */
export function isLeftOpen({ turn, compaction }: SessionState): boolean {
  if (compaction !== undefined) return true
  if (turn === undefined) return false
  const isRunning = (call: OpenCall): boolean =>
    call.phase === 'running' && childOf(turn, call.toolCallId) === undefined
  return loopsOf(turn).some(({ step }) => step?.phase === 'asking' || step?.calls.some(isRunning) === true)
}

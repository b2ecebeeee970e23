import type { StepBlock } from '../content.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import type { Draft } from '../ports/event-store.ts'
import { stepEndIfSettled } from '../session/decide-answers.ts'
import type { DecideContext } from '../session/decision.ts'
import { openCallsOf, type ActiveTurn, type OpenCall, type SessionState } from '../session/state.ts'
import type { ToolEffect } from '../ports/tool.ts'
import { endTurn, keptBlocks, nextQueuedTurn, type TurnEnd } from './end-turn.ts'

const TAKEOVER_LIMIT = 3
const UNKNOWN_OUTCOME =
  'Outcome unknown: the server stopped while this call was running. It may or may not have taken effect; check before repeating it.'
const NOT_RUN = 'Tool call cancelled: the turn was interrupted before it had run'

/**
 * What a new owner records about a turn whose process died. Finished steps stand; the unfinished model step keeps the
 * text that survived and is asked again; calls in flight run again only if that is harmless. Recovering twice records
 * the same facts once: the second time there is nothing left to repair.
 */
export function decideTakeover(
  state: SessionState,
  turn: ActiveTurn,
  drafts: readonly Draft[],
  context: Pick<DecideContext, 'recovery'> & { readonly agent: AgentDefinition | undefined },
): RecordedEvent[] {
  const { turnId } = turn
  const count = turn.takeovers + 1
  const partial = blocksOf(drafts, turn)
  const end = endOf(state, turn, count, context.agent)
  const unknown = unknownCalls(turn, context.agent, end === undefined)
  const events: RecordedEvent[] = [{ type: 'turn.taken-over', turnId, count }, ...unknown]
  if (end !== undefined) {
    const ended = endTurn(withoutSettled(turn, unknown), { ...end, openCalls: NOT_RUN, partial })
    return [...events, ...ended, ...nextQueuedTurn(state, context)]
  }

  if (turn.step?.phase === 'asking') {
    const kept = keptBlocks(partial)
    events.push({
      type: 'step.ended',
      turnId,
      stepId: turn.step.stepId,
      outcome: 'interrupted',
      ...(kept.length > 0 && { partial: kept }),
    })
  } else {
    events.push(...stepEndIfSettled(turn, unknown))
  }
  return events
}

/** Why the turn does not go on, where it does not. */
function endOf(
  state: SessionState,
  turn: ActiveTurn,
  count: number,
  agent: AgentDefinition | undefined,
): Pick<TurnEnd, 'outcome' | 'error'> | undefined {
  const end = (outcome: 'failed' | 'interrupted', message: string) => ({ outcome, error: { code: outcome, message } })
  if (turn.cancelled !== undefined) return { outcome: 'cancelled' }
  if (agent === undefined) return end('failed', `The agent ${state.agent} is no longer offered.`)
  if (turn.recovery === 'interrupt') return end('interrupted', 'The server stopped while this turn was running.')
  if (count > TAKEOVER_LIMIT) return end('failed', `The server stopped ${count} times while this turn was running.`)
  return undefined
}

/** Calls that had begun, may have had an effect, and will not run again. */
function unknownCalls(turn: ActiveTurn, agent: AgentDefinition | undefined, isGoingOn: boolean): RecordedEvent[] {
  const effectOf = (call: OpenCall): ToolEffect =>
    agent?.tools.find((tool) => tool.name === call.name)?.effect ?? 'unsafe'
  return openCallsOf(turn)
    .filter((call) => call.phase === 'running')
    .filter((call) => effectOf(call) === 'unsafe' || (effectOf(call) === 'idempotent' && !isGoingOn))
    .map(({ toolCallId }) => ({
      type: 'tool-call.settled',
      turnId: turn.turnId,
      toolCallId,
      status: 'unknown',
      output: UNKNOWN_OUTCOME,
      by: 'engine',
    }))
}

function withoutSettled(turn: ActiveTurn, settled: readonly RecordedEvent[]): ActiveTurn {
  if (turn.step === undefined || settled.length === 0) return turn
  const ids = new Set(settled.flatMap((event) => (event.type === 'tool-call.settled' ? [event.toolCallId] : [])))
  const calls = turn.step.calls.map((call) =>
    ids.has(call.toolCallId) ? { ...call, phase: 'settled' as const } : call,
  )
  return { ...turn, step: { ...turn.step, calls } }
}

function blocksOf(drafts: readonly Draft[], turn: ActiveTurn): readonly StepBlock[] {
  return drafts
    .filter((draft) => draft.stepId === turn.step?.stepId)
    .toSorted((a, b) => a.block - b.block)
    .map(({ kind, text }) => ({ type: kind, text }))
}

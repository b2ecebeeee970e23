import { mergeSettings } from '../events/session-settings.ts'
import type { ConversationMessage, UserContent } from '../content.ts'
import { foldSpending } from './fold-spending.ts'
import { NOTHING_SPENT } from '../cost/spending.ts'
import { unreachable } from '../errors.ts'
import type { SessionConfigured, SessionCreated } from '../events/session-events.ts'
import type { Recorded } from '../events/recorded-event.ts'
import { toOpenOffer, withAnswer, withCall, withOutput, withOverride } from './fold-calls.ts'
import { endCompaction, startCompaction } from './fold-compaction.ts'
import { childLoop, withChildStep, withStartedTurn, withStep, withTurn } from './fold-turn.ts'
import { openSeedCalls } from './open-seed-calls.ts'
import { titleOf } from './title-of.ts'
import { STATE_SHAPE, type SessionState } from './session-state.ts'

/** Folds one recorded event into the state. Pure: a log always folds to the same state. */
export function evolve(state: SessionState | undefined, recorded: Recorded): SessionState {
  const { seq, at, event } = recorded
  if (state === undefined) {
    if (event.type === 'session.created') return created(event, seq, at)
    throw new Error(`a log begins with session.created, not ${event.type}`)
  }
  const updatedAt = isListingAlone(event) ? state.updatedAt : at
  const applied = apply(state, recorded)
  // The parent paid for the steps that a fork copied, and what was allowed to the parent is asked again.
  const isCopied = seq <= (state.origin?.throughSeq ?? 0)
  const folded = isCopied ? { ...applied, overrides: [] } : foldSpending(state, applied, recorded)
  return { ...folded, seq, updatedAt }
}

/** Pinning and forking change what lists show, but not the session itself. */
function isListingAlone(event: Recorded['event']): boolean {
  if (event.type === 'session.forked' || event.type === 'session.fork-deleted') return true
  if (event.type !== 'session.configured') return false
  return Object.entries(event.settings).every(([name, value]) => name === 'isPinned' || value === undefined)
}

function created(event: SessionCreated, seq: number, at: number): SessionState {
  const { sessionId, userId, agent, settings, origin, via } = event
  return {
    shape: STATE_SHAPE,
    seq,
    sessionId,
    userId,
    agent,
    settings,
    ...(origin && { origin }),
    ...(via !== undefined && { via }),
    isStarted: false,
    batches: { recorded: 0, reserved: 0 },
    queue: [],
    seededCalls: [],
    isCompactionWanted: false,
    vainCompactions: 0,
    spent: NOTHING_SPENT,
    raised: {},
    overrides: [],
    createdAt: at,
    updatedAt: at,
  }
}

function apply(state: SessionState, recorded: Recorded): SessionState {
  const { seq, event } = recorded
  switch (event.type) {
    case 'session.created':
      throw new Error('session.created stands only at the beginning of a log')
    case 'session.seeded':
      return titled(
        { ...state, isStarted: true, head: event.entryId, seededCalls: openSeedCalls(event.messages) },
        firstUserContent(event.messages),
      )
    case 'session.configured':
      return configured(state, event)
    case 'session.forked': {
      const { childId, turnId } = event
      return { ...state, forks: [...(state.forks ?? []), { sessionId: childId, ...(turnId && { turnId }) }] }
    }
    case 'session.fork-deleted':
      return { ...state, forks: state.forks?.filter(({ sessionId }) => sessionId !== event.childId) ?? [] }
    case 'input.admitted': {
      const { inputId, turnId, content, settings } = event
      const input = { inputId, turnId, content, ...(settings && { settings }) }
      return titled({ ...state, isStarted: true, queue: [...state.queue, input] }, content)
    }
    case 'input.changed': {
      const { inputId, content } = event
      return {
        ...state,
        queue: state.queue.map((input) => (input.inputId === inputId ? { ...input, content } : input)),
      }
    }
    case 'input.dropped':
      return { ...state, queue: state.queue.filter((input) => input.inputId !== event.inputId) }
    case 'turn.started':
      return withStartedTurn(state, event, recorded)
    case 'turn.paused':
      return (event.calls ?? []).reduce(
        (marked, { toolCallId }) => withCall(marked, toolCallId, (call) => ({ ...call, isShown: true })),
        withTurn(state, (turn) => ({ ...turn, status: 'waiting' })),
      )
    case 'turn.resumed':
      return withTurn(state, (turn) => ({ ...turn, status: 'running' }))
    case 'turn.cancel-requested':
      return withTurn(state, (turn) => ({ ...turn, cancelled: event.reason }))
    case 'turn.taken-over': {
      const isFromDead = event.count > (state.turn?.takeovers ?? 0)
      const taken = isFromDead ? { ...state, overrides: [] } : state
      return withTurn(taken, ({ isHandedOver: _isHandedOver, ...turn }) => ({
        ...turn,
        takeovers: event.count,
        ...(isFromDead && { takenOverAt: recorded.at }),
      }))
    }
    case 'turn.handed-over':
      return withTurn(state, (turn) => ({ ...turn, isHandedOver: true }))
    case 'turn.ended':
      return { ...state, turn: undefined, lastOutcome: event.outcome }
    case 'step.started':
      return withStep(withReserved(state, event.reservedBatches), event, seq)
    case 'step.answered':
      return withAnswer(withBatches(state, event.liveBatches), event)
    case 'step.ended':
      return withTurn(withBatches(state, event.liveBatches), (turn) =>
        turn.step?.stepId === event.stepId
          ? { ...turn, step: undefined }
          : withChildStep(turn, event.stepId, (child) => ({ ...child, step: undefined })),
      )
    case 'memories.recalled':
      return withTurn(state, (turn) => ({ ...turn, hasRecalled: true }))
    case 'surroundings.noted':
      return { ...state, surroundings: event.fingerprint }
    case 'compaction.requested':
      return { ...state, isCompactionWanted: true }
    case 'compaction.started':
      return startCompaction(state, event)
    case 'compaction.ended':
      return endCompaction(state, event)
    case 'loop.started':
      return withTurn(state, (turn) => ({ ...turn, children: [...turn.children, childLoop(event, recorded)] }))
    case 'loop.ended':
      return withTurn(state, (turn) => ({
        ...turn,
        children: turn.children.filter((child) => child.loopId !== event.loopId),
      }))
    case 'approval.requested':
      return withCall(state, event.toolCallId, (call) => ({
        ...call,
        phase: 'awaiting-approval',
        approval: {
          callHash: event.callHash,
          granted: false,
          ...(event.covers && { covers: event.covers }),
          ...(event.offers && { offers: event.offers.map(toOpenOffer) }),
          ...(event.before !== undefined && { before: event.before }),
          ...(event.failed && { failed: event.failed }),
        },
      }))
    case 'approval.resolved':
      if (!event.granted) return state
      return withCall(withOverride(state, event), event.toolCallId, (call) => ({
        ...call,
        phase: 'ready',
        ...(call.approval && { approval: { ...call.approval, granted: true } }),
      }))
    case 'tool-call.started':
      return withCall(state, event.toolCallId, (call) => ({ ...call, phase: 'running', attempt: event.attempt }))
    case 'tool-call.cancel-requested':
      return withCall(state, event.toolCallId, (call) => ({ ...call, cancelled: event.reason }))
    case 'tool-call.settled':
      return withCall(withOutput(state, event), event.toolCallId, ({ toolCallId, name, route, attempt }) => ({
        toolCallId,
        name,
        route,
        attempt,
        input: {},
        phase: 'settled',
      }))
    default:
      return unreachable(event)
  }
}

function configured(state: SessionState, { settings: change, forgetsOverrides }: SessionConfigured): SessionState {
  const { settings } = state
  const isPlanBegun = change.preset === 'plan' && settings.preset !== 'plan'
  return {
    ...state,
    settings: mergeSettings(settings, change),
    ...(isPlanBegun && { presetBeforePlan: settings.preset }),
    ...(forgetsOverrides && { overrides: [] }),
  }
}

function withReserved(state: SessionState, reserved = 0): SessionState {
  const { batches } = state
  return reserved <= batches.reserved ? state : { ...state, batches: { ...batches, reserved } }
}

function withBatches(state: SessionState, recorded = 0): SessionState {
  const { batches } = state
  if (recorded <= batches.recorded) return state
  return { ...state, batches: { recorded, reserved: Math.max(recorded, batches.reserved) } }
}

function firstUserContent(messages: readonly ConversationMessage[]): UserContent {
  for (const message of messages) if (message.role === 'user') return message.content
  return ''
}

function titled(state: SessionState, said: UserContent): SessionState {
  const { settings } = state
  const title = settings.title === undefined ? titleOf(said) : undefined
  return title === undefined ? state : { ...state, settings: { ...settings, title } }
}

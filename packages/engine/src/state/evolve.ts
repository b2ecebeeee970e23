import { mergeSettings } from '../events/session-settings.ts'
import { textOf, type ConversationMessage, type StepBlock, type UserContent } from '../content.ts'
import { startTurnBudget } from '../cost/budget.ts'
import { foldSpending } from './fold-spending.ts'
import { NOTHING_SPENT } from '../cost/spending.ts'
import { unreachable } from '../errors.ts'
import type { CallRoute, StepAnswered, StepStarted } from '../events/step-events.ts'
import type { CompactionEnded, CompactionStarted, LoopStarted } from '../events/loop-events.ts'
import type { SessionConfigured, SessionCreated } from '../events/session-events.ts'
import type { Recorded } from '../events/recorded-event.ts'
import type { ApprovalResolved, ToolCallSettled } from '../events/call-events.ts'
import { ROOT_LOOP, type EntryId, type ToolCallId } from '../ids.ts'
import { chooseOffer } from '../permission/cover-offers.ts'
import { openSeedCalls } from './open-seed-calls.ts'
import { titleOf } from './title-of.ts'
import {
  STATE_SHAPE,
  findOpenCall,
  type ActiveCompaction,
  type ActiveStep,
  type ActiveTurn,
  type CallPhase,
  type ChildLoop,
  type LoopProgress,
  type OpenCall,
  type SessionState,
} from './session-state.ts'

/** A compaction was successful if it leaves at most this share of the context. */
const WORTH_IT = 0.9
/** How much of a sub-agent's last text the state keeps. */
const SAID_LENGTH = 16_384

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
  const { sessionId, userId, agent, settings, origin } = event
  return {
    shape: STATE_SHAPE,
    seq,
    sessionId,
    userId,
    agent,
    settings,
    ...(origin && { origin }),
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
    case 'input.dropped':
      return { ...state, queue: state.queue.filter((input) => input.inputId !== event.inputId) }
    case 'turn.started':
      return {
        ...state,
        head: event.inputId ?? state.head,
        queue: state.queue.filter((input) => input.inputId !== event.inputId),
        seededCalls: [],
        turn: {
          turnId: event.turnId,
          status: 'running',
          recovery: event.recovery,
          takeovers: 0,
          answeredSteps: 0,
          hasRecalled: false,
          hasAsked: false,
          isForced: false,
          settings: state.queue.find((input) => input.inputId === event.inputId)?.settings ?? {},
          vainOutputs: 0,
          budget: startTurnBudget(recorded.at),
          children: [],
          step: event.inputId === undefined && state.head !== undefined ? seededStep(state, seq) : undefined,
        },
      }
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
      return withTurn(withBatches(state, event.liveBatches), (turn) => {
        const said = textOf(event.blocks).slice(0, SAID_LENGTH)
        const change = <L extends LoopProgress>(loop: L): L => ({
          ...loop,
          answeredSteps: loop.answeredSteps + (event.by === 'engine' ? 0 : 1),
          step: loop.step && {
            ...loop.step,
            phase: 'settling',
            finish: event.finish,
            calls: callsOf(event),
            ...(event.by && { by: event.by }),
          },
        })
        if (turn.step?.stepId === event.stepId) return change(withVainEnd(turn, event))
        return withChildStep(turn, event.stepId, (child) => ({ ...change(child), ...(said !== '' && { said }) }))
      })
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
    case 'compaction.ended': {
      const { compaction, ...rest } = state
      if (hasHelped(event, compaction)) return { ...rest, vainCompactions: 0 }
      // A compaction that a crash interrupted does not count as unsuccessful, nor does one that a user requested.
      if (event.error?.code === 'interrupted' || event.turnId === undefined) return rest
      return { ...rest, vainCompactions: state.vainCompactions + 1 }
    }
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
          ...(event.offers && { offers: event.offers.map(({ id, covers }) => ({ id, covers })) }),
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

function configured(state: SessionState, { settings: change }: SessionConfigured): SessionState {
  const { settings } = state
  const isPlanBegun = change.preset === 'plan' && settings.preset !== 'plan'
  return {
    ...state,
    settings: mergeSettings(settings, change),
    ...(isPlanBegun && { presetBeforePlan: settings.preset }),
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

/** An answer without calls ends a turn, unless the turn must return a value. */
function withVainEnd(turn: ActiveTurn, { routes }: StepAnswered): ActiveTurn {
  const isVain = turn.settings.outputSchema !== undefined && Object.keys(routes).length === 0
  return isVain ? { ...turn, vainOutputs: turn.vainOutputs + 1 } : turn
}

/** The user allowed what the call asked for in the whole session. */
function withOverride(state: SessionState, { toolCallId, scope, offer }: ApprovalResolved): SessionState {
  const call = scope === 'session' ? findOpenCall(state.turn, toolCallId) : undefined
  const covered = call && coveredBy(call, offer)
  if (covered === undefined || state.overrides.includes(covered)) return state
  return { ...state, overrides: [...state.overrides, covered] }
}

/** Requests of earlier versions made no offers: they covered the tool. */
function coveredBy({ name, approval }: OpenCall, offer: string | undefined): string | undefined {
  if (approval?.offers === undefined) return approval?.covers ?? name
  return chooseOffer(approval.offers, offer)?.covers
}

function withOutput(state: SessionState, { toolCallId, status }: ToolCallSettled): SessionState {
  const { turn } = state
  if (turn?.settings.outputSchema === undefined) return state
  const call = turn.step?.calls.find((candidate) => candidate.toolCallId === toolCallId)
  if (call?.kind !== 'result') return state
  const change = status === 'completed' ? { output: call.input } : { vainOutputs: turn.vainOutputs + 1 }
  return { ...state, turn: { ...turn, ...change } }
}

function withTurn(state: SessionState, change: (turn: ActiveTurn) => ActiveTurn): SessionState {
  if (state.turn === undefined) throw new Error('this event needs an active turn')
  return { ...state, turn: change(state.turn) }
}

function startCompaction(state: SessionState, event: CompactionStarted): SessionState {
  const { compactionId, loopId = ROOT_LOOP, tokensBefore, trigger, model } = event
  const isOwn = loopId === ROOT_LOOP
  return {
    ...state,
    compaction: { compactionId, loopId, tokensBefore, model },
    ...(trigger === 'manual' && { isCompactionWanted: false }),
    ...(isOwn && { head: compactionId }),
    ...(trigger === 'forced' && state.turn && { turn: { ...state.turn, isForced: true } }),
  }
}

/** A compaction that leaves nearly the whole context did not help. */
function hasHelped({ outcome, tokensAfter }: CompactionEnded, compaction: ActiveCompaction | undefined): boolean {
  if (outcome === 'failed' || tokensAfter === undefined || compaction === undefined) return false
  return tokensAfter <= compaction.tokensBefore * WORTH_IT
}

function withStep(state: SessionState, event: StepStarted, seq: number): SessionState {
  const { stepId, loopId, model } = event
  const step: ActiveStep = { stepId, loopId, stepSeq: seq, phase: 'asking', model, calls: [] }
  if (loopId === ROOT_LOOP) {
    return { ...withTurn(state, (turn) => ({ ...turn, step, hasAsked: true })), head: stepId }
  }
  return withTurn(state, (turn) => ({
    ...turn,
    children: turn.children.map((child) => (child.loopId === loopId ? { ...child, step, head: stepId } : child)),
  }))
}

function withChildStep(turn: ActiveTurn, stepId: EntryId, change: (child: ChildLoop) => ChildLoop): ActiveTurn {
  const children = turn.children.map((child) => (child.step?.stepId === stepId ? change(child) : child))
  return { ...turn, children }
}

function childLoop(event: LoopStarted, { seq, at }: Recorded): ChildLoop {
  const { loopId, parentToolCallId, parentLoopId, agent, depth } = event
  return { loopId, parentToolCallId, parentLoopId, agent, depth, startedAt: at, startSeq: seq, answeredSteps: 0 }
}

function withCall(state: SessionState, id: ToolCallId, change: (call: OpenCall) => OpenCall): SessionState {
  const changeIn = <L extends LoopProgress>(loop: L): L => {
    if (loop.step?.calls.some((call) => call.toolCallId === id) !== true) return loop
    const calls = loop.step.calls.map((call) => (call.toolCallId === id ? change(call) : call))
    return { ...loop, step: { ...loop.step, calls } }
  }
  return withTurn(state, (turn) => {
    if (turn.step === undefined) throw new Error(`tool call ${id} has no open step`)
    const changed = changeIn(turn)
    return changed === turn ? { ...turn, children: turn.children.map(changeIn) } : changed
  })
}

function callsOf(event: StepAnswered): readonly OpenCall[] {
  return event.blocks.filter(isCall).map(({ toolCallId, name, input }) => {
    const route = event.routes[toolCallId] ?? 'server'
    const kind = event.kinds?.[toolCallId]
    return { toolCallId, name, input, route, ...(kind && { kind }), phase: firstPhase(route), attempt: 0 }
  })
}

function firstPhase(route: CallRoute): CallPhase {
  if (route === 'client') return 'awaiting-client'
  return route === 'question' ? 'awaiting-user' : 'ready'
}

const isCall = (block: StepBlock) => block.type === 'tool-call'

/** A turn without input continues the seed: its open calls wait for the client that declared them. */
function seededStep(state: SessionState, seq: number): ActiveStep | undefined {
  if (state.head === undefined) return undefined
  return { stepId: state.head, loopId: ROOT_LOOP, stepSeq: seq, phase: 'settling', calls: state.seededCalls }
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

import { textOf, type StepBlock } from '../content.ts'
import type { ApprovalResolved, CoverOffer, ToolCallSettled } from '../events/call-events.ts'
import type { CallRoute, StepAnswered } from '../events/step-events.ts'
import type { ToolCallId } from '../ids.ts'
import { chooseOffer } from '../permission/cover-offers.ts'
import { withChildStep, withTurn } from './fold-turn.ts'
import {
  findOpenCall,
  type ActiveTurn,
  type CallPhase,
  type LoopProgress,
  type OpenCall,
  type OpenOffer,
  type SessionState,
} from './session-state.ts'

/** How much of a sub-agent's last text the state keeps. */
const SAID_LENGTH = 16_384

/** The model's answer ends the asking and opens its calls. */
export function withAnswer(state: SessionState, event: StepAnswered): SessionState {
  return withTurn(state, (turn) => {
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
}

/** An answer without calls ends a turn, unless the turn must return a value. */
function withVainEnd(turn: ActiveTurn, { routes }: StepAnswered): ActiveTurn {
  const isVain = turn.settings.outputSchema !== undefined && Object.keys(routes).length === 0
  return isVain ? { ...turn, vainOutputs: turn.vainOutputs + 1 } : turn
}

/** The user allowed what the call asked for in the whole session. */
export function withOverride(state: SessionState, { toolCallId, scope, offer }: ApprovalResolved): SessionState {
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

export const toOpenOffer = ({ id, covers, label, project }: CoverOffer): OpenOffer => ({
  id,
  covers,
  ...(project !== undefined && { project, label }),
})

/** Keeps the value that a turn returns, or counts a value of the wrong shape. */
export function withOutput(state: SessionState, { toolCallId, status }: ToolCallSettled): SessionState {
  const { turn } = state
  if (turn?.settings.outputSchema === undefined) return state
  const call = turn.step?.calls.find((candidate) => candidate.toolCallId === toolCallId)
  if (call?.kind !== 'result') return state
  const change = status === 'completed' ? { output: call.input } : { vainOutputs: turn.vainOutputs + 1 }
  return { ...state, turn: { ...turn, ...change } }
}

export function withCall(state: SessionState, id: ToolCallId, change: (call: OpenCall) => OpenCall): SessionState {
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

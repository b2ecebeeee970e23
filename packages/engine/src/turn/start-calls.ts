import type { LoopStarted } from '../events/loop-events.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'
import { asLoopId, type LoopId, type ToolCallId } from '../ids.ts'
import { issueGrant } from '../permission/grant.ts'
import type { Grant } from '../ports/grant.ts'
import type { Tool, Workspace } from '../ports/tool.ts'
import { stepEndIfSettled } from '../session/decide-answers.ts'
import {
  childOf,
  findLoop,
  findOpenCall,
  openCallsIn,
  type ActiveTurn,
  type OpenCall,
  type SessionState,
} from '../state/session-state.ts'
import { parseAgentInput } from './agent-input.ts'
import { askedOf, beforeOf, hashOf, ruleOnCall, type Judging, type Ruling } from './judge-calls.ts'
import type { AgentLine } from './loop-agents.ts'
import type { LoopPlace } from './loop-place.ts'
import { canGoOn } from './next-move.ts'
import { toOutside } from './offer-outside.ts'
import { prepareJudging } from './prepare-judging.ts'
import type { RunDeps } from './turn-deps.ts'

/** The maximum number of sub-agents that work at the same time in one turn. */
const MOST_CHILDREN = 16
const TOO_MANY_CHILDREN: Ruling = {
  type: 'refuse',
  status: 'failed',
  output: `Error: ${MOST_CHILDREN} sub-agents are at work already`,
}

export interface StartedCall {
  readonly call: OpenCall
  readonly tool: Tool
  readonly grant: Grant
  readonly workspace: Workspace
}

/** The loop that the calls belong to. */
export interface CallPlace extends LoopPlace {
  readonly line: AgentLine
}

/**
 * Judges the calls again right before they run, because the mode, the rules and the environment may have changed since
 * the model made them. Records all starts in one append before any call runs.
 */
export async function startCalls(
  ready: readonly OpenCall[],
  place: CallPlace,
  deps: RunDeps,
): Promise<readonly StartedCall[]> {
  const judging = await prepareJudging(place.line, ready, deps)
  let started: readonly StartedCall[] = []
  await deps.session.commit((state) => {
    const starts = decideStarts(state, ready, { place, judging })
    started = starts.started
    return { events: starts.events }
  }, deps.fence)
  return started
}

export interface Starts {
  readonly events: readonly RecordedEvent[]
  readonly started: readonly StartedCall[]
}

/** Pure. Starts the calls that may run now; asks for the others, or settles them. */
export function decideStarts(
  state: SessionState,
  ready: readonly OpenCall[],
  { place, judging }: { readonly place: CallPlace; readonly judging: Judging },
): Starts {
  const { turn } = state
  if (turn?.turnId !== place.turnId) return { events: [], started: [] }
  const started: StartedCall[] = []
  const events: RecordedEvent[] = []
  for (const { toolCallId } of ready) {
    const call = findOpenCall(turn, toolCallId)
    if (call === undefined) continue
    const children = turn.children.length + events.filter((event) => event.type === 'loop.started').length
    const ruled = ruleOnStart(call, state, judging)
    const isOneTooMany = isNewChild(ruled, call, turn) && children >= MOST_CHILDREN
    const ruling = isOneTooMany ? TOO_MANY_CHILDREN : ruled
    events.push(...eventsOf(ruling, call, { turn, place, judging }))
    if (ruling.type !== 'allow') continue
    const grant = issueGrant(ruling.call, judging.digest)
    started.push({ call, tool: ruling.tool, grant, workspace: judging.workspace })
  }
  return { events: [...events, ...stepEndIfSettled(turn, events, place.loopId)], started }
}

/** The calls of a loop that can run now, or whose sub-agent can continue. */
export function readyCalls({ turn }: SessionState, { turnId, loopId }: LoopPlace): readonly OpenCall[] {
  const loop = turn?.turnId === turnId ? findLoop(turn, loopId) : undefined
  return turn === undefined || loop === undefined ? [] : openCallsIn(loop).filter((call) => canGoOn(turn, call))
}

function ruleOnStart(call: OpenCall, state: SessionState, judging: Judging): Ruling {
  if (call.cancelled !== undefined) {
    return { type: 'refuse', status: 'denied', output: `Tool call cancelled: ${call.cancelled}` }
  }
  const ruling = ruleOnCall(call, state, judging)
  const { approval } = call
  if (approval?.failed !== undefined) return ruleOnOutside(ruling, approval, judging)
  // A grant covers exactly this call under exactly this policy. Anything else needs a new approval.
  const isGranted =
    ruling.type === 'ask' && approval?.granted === true && approval.callHash === hashOf(ruling.call, judging)
  if (!isGranted) return ruling
  if (approval.before !== beforeOf(call.toolCallId, judging).before) return CHANGED_MEANWHILE
  return { ...ruling, type: 'allow' }
}

/** The change that was shown is another one by now. */
const CHANGED_MEANWHILE: Ruling = {
  type: 'refuse',
  status: 'failed',
  output: 'Error: the file has changed since the user was asked, so nothing was written; read it, then call again',
}

/** The hash covers the policy, so that a changed one needs a new call. Without the approval, the call keeps the result that it had in its sandbox. */
function ruleOnOutside(ruling: Ruling, approval: NonNullable<OpenCall['approval']>, judging: Judging): Ruling {
  if (ruling.type !== 'allow' && ruling.type !== 'ask') return ruling
  const outside = toOutside(ruling.call)
  const isGranted = approval.granted && approval.callHash === hashOf(outside, judging)
  if (isGranted) return { ...ruling, type: 'allow', call: outside }
  return { type: 'refuse', status: 'failed', output: approval.failed?.output ?? '' }
}

const isNewChild = (ruling: Ruling, { toolCallId }: OpenCall, turn: ActiveTurn): boolean =>
  ruling.type === 'allow' && ruling.tool.performer === 'agent' && childOf(turn, toolCallId) === undefined

interface Starting {
  readonly turn: ActiveTurn
  readonly place: CallPlace
  readonly judging: Judging
}

function eventsOf(ruling: Ruling, call: OpenCall, { turn, place, judging }: Starting): RecordedEvent[] {
  const { turnId } = turn
  const { toolCallId } = call
  switch (ruling.type) {
    case 'client':
      throw new Error(`the client's call ${toolCallId} cannot start here`)
    case 'refuse': {
      const status = call.cancelled === undefined ? ruling.status : 'cancelled'
      return [{ type: 'tool-call.settled', turnId, toolCallId, status, output: ruling.output, by: 'engine' }]
    }
    case 'ask': {
      const callHash = hashOf(ruling.call, judging)
      const asked = { ...askedOf(ruling), ...beforeOf(toolCallId, judging) }
      return [{ type: 'approval.requested', turnId, toolCallId, callHash, ...asked }]
    }
    case 'allow': {
      if (childOf(turn, toolCallId) !== undefined) return []
      const attempt = call.attempt + 1
      const started: RecordedEvent = {
        type: 'tool-call.started',
        turnId,
        toolCallId,
        attempt,
        callHash: hashOf(ruling.call, judging),
      }
      return ruling.tool.performer === 'agent' ? [started, loopStarted(call, turn, place)] : [started]
    }
  }
}

function loopStarted(call: OpenCall, turn: ActiveTurn, { loopId, line }: CallPlace): LoopStarted {
  const input = parseAgentInput(call.input)
  if (input === undefined) throw new Error('the input of a sub-agent was checked when it was judged')
  return {
    type: 'loop.started',
    turnId: turn.turnId,
    loopId: loopIdOf(call.toolCallId),
    parentToolCallId: call.toolCallId,
    parentLoopId: loopId,
    depth: line.length,
    agent: input.agent ?? line[0].name,
    description: input.description,
    prompt: input.prompt,
  }
}

/** Call ids are unique in their session, so these ids are too. */
export const loopIdOf = (toolCallId: ToolCallId): LoopId => asLoopId(`loop_${toolCallId}`)

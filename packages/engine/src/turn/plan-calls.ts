import type { StepBlock } from '../content.ts'
import type { CallRoute } from '../events/step-events.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'
import { asToolCallId, type ToolCallId, type TurnId } from '../ids.ts'
import type { JsonObject } from '../json.ts'
import type { CallInspection } from '../events/call-facts.ts'
import type { Ids } from '../ports/ids.ts'
import type { Tool } from '../ports/tool.ts'
import type { ToolKind } from '../events/tool-kind.ts'
import type { SessionState } from '../state/session-state.ts'
import { askedOf, beforeOf, hashOf, kindOfCall, ruleOnCall, type Judging, type Ruling } from './judge-calls.ts'

/** A call as the model wrote it. */
export interface ModelCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

const USABLE_ID = /^[A-Za-z0-9_-]{1,64}$/
const RESERVED_PREFIX = 'ask_'
const UNREADABLE = '_raw'

/**
 * Uses the model's id if it is valid and new in the session, otherwise a new id. Providers reuse ids, and a client that
 * sees an id twice takes the second call for answered.
 */
export function chooseCallId(modelId: string, taken: ReadonlySet<string>, ids: Ids): ToolCallId {
  // As an object key, `__proto__` would be lost.
  const isName = USABLE_ID.test(modelId) && modelId !== '__proto__'
  const isUsable = isName && !modelId.startsWith(RESERVED_PREFIX) && !taken.has(modelId)
  return isUsable ? asToolCallId(modelId) : ids.toolCallId()
}

export function toCallInput(input: unknown): JsonObject | undefined {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as JsonObject) : undefined
}

/** Records a call whose input was not a JSON object. It never runs, even if the tool accepts any input. */
export const unreadableInput = (input: unknown): JsonObject => ({
  [UNREADABLE]: typeof input === 'string' ? input : JSON.stringify(input ?? null),
})

const isUnreadable = (input: JsonObject): boolean =>
  typeof input[UNREADABLE] === 'string' && Object.keys(input).length === 1

interface AnswerOf {
  readonly turnId: TurnId
  readonly blocks: readonly StepBlock[]
}

export interface CallPlan {
  readonly routes: { readonly [toolCallId: string]: CallRoute }
  readonly kinds: { readonly [toolCallId: string]: ToolKind }
  readonly inspections: { readonly [toolCallId: string]: CallInspection }
  /** Approvals to request, and results of calls that cannot run. */
  readonly events: readonly RecordedEvent[]
}

/** Decides what happens to each call of an answer. */
export function planCalls({ turnId, blocks }: AnswerOf, state: SessionState, judging: Judging): CallPlan {
  const routes: Record<string, CallRoute> = {}
  const kinds: Record<string, ToolKind> = {}
  const inspections: Record<string, CallInspection> = {}
  const events: RecordedEvent[] = []
  for (const block of blocks) {
    if (block.type !== 'tool-call') continue
    const { toolCallId, name, input } = block
    const ruling: Ruling = isUnreadable(input)
      ? { type: 'refuse', status: 'failed', output: `Error: the input for ${name} was not a JSON object` }
      : ruleOnCall(block, state, judging)
    routes[toolCallId] = routeOf(ruling)
    const kind = kindOfCall(block, state, judging)
    if (kind !== undefined) kinds[toolCallId] = kind
    const inspection = judging.inspections.get(toolCallId)
    if (typeof inspection === 'object') inspections[toolCallId] = inspection
    if (ruling.type === 'ask') {
      const callHash = hashOf(ruling.call, judging)
      const asked = { ...askedOf(ruling), ...beforeOf(toolCallId, judging) }
      events.push({ type: 'approval.requested', turnId, toolCallId, callHash, ...asked })
    } else if (ruling.type === 'refuse') {
      const { status, output } = ruling
      events.push({ type: 'tool-call.settled', turnId, toolCallId, status, output, by: 'engine' })
    }
  }
  return { routes, kinds, inspections, events }
}

function routeOf(ruling: Ruling): CallRoute {
  if (ruling.type === 'client') return 'client'
  return ruling.type === 'refuse' ? 'server' : routeOfTool(ruling.tool)
}

function routeOfTool({ performer }: Tool): CallRoute {
  if (performer === 'user') return 'question'
  return performer === 'agent' ? 'agent' : 'server'
}

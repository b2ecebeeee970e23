import { canonicalJson } from '../canonical-json.ts'
import type { StepBlock, ToolCallPart } from '../content.ts'
import type { CallRoute, RecordedEvent } from '../events/recorded-event.ts'
import { asToolCallId, type ToolCallId, type TurnId } from '../ids.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { judgeCall } from '../permission/judge-call.ts'
import { policyOf } from '../permission/policy-of.ts'
import type { DecideContext } from '../session/decision.ts'
import type { SessionState } from '../session/state.ts'
import type { Digest, Ids } from '../ports/ids.ts'

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
 * The model's own id if it is usable and new in the session, else one of ours: providers reuse ids, and a client that
 * meets an id twice takes the second call for answered.
 */
export function chooseCallId(modelId: string, taken: ReadonlySet<string>, ids: Ids): ToolCallId {
  // As the key of an object, `__proto__` is lost.
  const isName = USABLE_ID.test(modelId) && modelId !== '__proto__'
  const isUsable = isName && !modelId.startsWith(RESERVED_PREFIX) && !taken.has(modelId)
  return isUsable ? asToolCallId(modelId) : ids.toolCallId()
}

export function toCallInput(input: unknown): JsonObject | undefined {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as JsonObject) : undefined
}

/** How a call is recorded whose input was no JSON object. It is never run, not even by a tool that takes anything. */
export const unreadableInput = (input: unknown): JsonObject => ({
  [UNREADABLE]: typeof input === 'string' ? input : JSON.stringify(input ?? null),
})

const isUnreadable = (input: JsonObject): boolean =>
  typeof input[UNREADABLE] === 'string' && Object.keys(input).length === 1

/** Binds an approval to exactly what will run. */
export function hashCall(name: string, input: JsonValue, digest: Digest): string {
  return digest(canonicalJson({ name, input }))
}

export interface CallPlan {
  readonly routes: { readonly [toolCallId: string]: CallRoute }
  /** Approvals to ask for, and results of calls that cannot run. */
  readonly events: readonly RecordedEvent[]
}

export function planCalls(
  state: SessionState,
  turnId: TurnId,
  blocks: readonly StepBlock[],
  context: DecideContext,
): CallPlan {
  const routes: Record<string, CallRoute> = {}
  const events: RecordedEvent[] = []
  for (const block of blocks) {
    if (block.type !== 'tool-call') continue
    const { toolCallId } = block
    const plan = planCall(state, block, context)
    routes[toolCallId] = plan === 'client' ? 'client' : 'server'
    if (plan === 'ask') {
      const callHash = hashCall(block.name, block.input, context.digest)
      events.push({ type: 'approval.requested', turnId, toolCallId, callHash })
    } else if (typeof plan === 'object') {
      events.push({
        type: 'tool-call.settled',
        turnId,
        toolCallId,
        status: 'failed',
        output: plan.refusal,
        by: 'engine',
      })
    }
  }
  return { routes, events }
}

function planCall(
  state: SessionState,
  call: ToolCallPart,
  context: DecideContext,
): 'client' | 'run' | 'ask' | { refusal: string } {
  if (isUnreadable(call.input)) return { refusal: `Error: the input for ${call.name} was not a JSON object` }
  if (state.clientTools.some((tool) => tool.name === call.name)) return 'client'
  const tool = context.agent.tools.find((candidate) => candidate.name === call.name)
  if (tool === undefined) return { refusal: `Error: there is no tool called ${call.name}` }
  const { decision: judgement } = judgeCall(tool, call.input, { type: 'plain' }, policyOf(state))
  if (judgement === 'disabled') return { refusal: `Error: the tool ${call.name} is not enabled in this session` }
  if (judgement === 'deny') return { refusal: `Error: the tool ${call.name} is not allowed in mode ${state.preset}` }
  const check = tool.check(call.input)
  if (!check.ok) return { refusal: `Error: invalid input for ${call.name}: ${check.problem}` }
  return judgement === 'ask' ? 'ask' : 'run'
}

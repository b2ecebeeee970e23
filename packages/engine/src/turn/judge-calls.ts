import type { ClientTool } from '../events/session-settings.ts'
import type { JsonObject } from '../json.ts'
import type { CallFacts, CallInspection } from '../events/call-facts.ts'
import type { CoverOffer } from '../events/call-events.ts'
import { coverOffers, toolKey } from '../permission/cover-offers.ts'
import { hashCall } from '../permission/grant.ts'
import type { GrantedCall } from '../ports/grant.ts'
import { isOffered, judgeCall, type Case } from '../permission/judge-call.ts'
import { hashPolicy, policyOf } from '../permission/policy-of.ts'
import type { PermissionRule } from '../ports/rule-store.ts'
import type { Policy, Verdict } from '../permission/policy.ts'
import { strictest } from '../permission/strictest.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import { kindOf, type Tool, type Workspace } from '../ports/tool.ts'
import type { ToolKind } from '../events/tool-kind.ts'
import type { SessionState } from '../state/session-state.ts'
import { parseAgentInput } from './agent-input.ts'
import type { EngineParts } from '../engine-parts.ts'
import { describeDenial, type DeniedIn } from './describe-denial.ts'
import type { AgentLine } from './loop-agents.ts'

/** The maximum nesting depth of sub-agents. The session's own agent is at depth 0. */
export const DEEPEST_LOOP = 3

export interface JudgedCall {
  readonly toolCallId: string
  readonly name: string
  readonly input: JsonObject
}

/** The data for judging the calls of one loop, besides the state at that moment. */
export interface Judging {
  readonly line: AgentLine
  readonly userRules: readonly PermissionRule[]
  readonly operator: EngineParts['operator']
  readonly workspace: Workspace
  readonly inspections: ReadonlyMap<string, CallInspection | 'failed'>
  /** The problems that deep checks found in inputs, by call. */
  readonly problems: ReadonlyMap<string, string>
  readonly agents: EngineParts['agents']
  readonly digest: EngineParts['digest']
}

export type Ruling =
  | { readonly type: 'client' }
  /** The call cannot run; `output` is its result. */
  | { readonly type: 'refuse'; readonly status: 'failed' | 'denied'; readonly output: string }
  | {
      readonly type: 'allow' | 'ask'
      readonly tool: Tool
      readonly call: GrantedCall
      readonly facts: CallFacts
      readonly verdict: Verdict
      /** What *always allow* can cover. */
      readonly offers: readonly CoverOffer[]
    }

export const policyFor = (
  state: SessionState,
  { operator, userRules }: Pick<Judging, 'operator' | 'userRules'>,
): Policy => policyOf({ ...state.settings, userId: state.userId }, operator, userRules)

/**
 * Decides what may happen to a call now. Pure. Called when the model makes the call, and again right before it runs.
 */
export function ruleOnCall(call: JudgedCall, state: SessionState, judging: Judging): Ruling {
  const { line, inspections } = judging
  if (depthOf(line) === 0 && isClientTool(state.settings.clientTools, call.name)) return { type: 'client' }
  const tool = findTool(line[0], call.name)
  if (tool === undefined) return refuse(`there is no tool called ${call.name}`)
  const check = tool.check(call.input)
  const policy = policyFor(state, judging)
  const inspection = inspections.get(call.toolCallId)
  const facts = inspection === 'failed' ? undefined : (inspection?.facts ?? defaultFacts(tool))
  const verdict = judgeInLine(line, call, { facts: facts ?? { type: 'plain' }, policy })
  if (verdict.decision === 'disabled') return refuse(`the tool ${call.name} is not enabled in this session`)
  const { preset } = state.settings
  const place = { preset, act: facts?.type }
  if (verdict.decision === 'deny') return denied(call.name, verdict, place)
  const wrong = check.ok ? judging.problems.get(call.toolCallId) : check.problem
  if (wrong !== undefined) return refuse(`invalid input for ${call.name}: ${wrong}`)
  if (facts === undefined) return refuse(`what ${call.name} would do could not be found out`)
  const problem = tool.performer === 'agent' ? problemOfAgentCall(call, judging) : undefined
  if (problem !== undefined) return refuse(problem)
  const isUnattended = state.turn?.settings.isUnattended === true
  const isApproved = !(isUnattended && verdict.decision === 'ask')
  const granted: GrantedCall = {
    tool: call.name,
    input: call.input,
    cwd: judging.workspace.cwd,
    policy: hashPolicy(policy, judging.digest),
    ...(tool.definition !== undefined && { definition: tool.definition }),
    ...guardedBy(facts, policy),
    ...(facts.type === 'shell' && facts.risk === 'safe' && { isHarmless: true as const }),
    ...(facts.type === 'notes' && facts.isFromTool === true && { textFrom: facts.sourceTool ?? '' }),
    ...accessOf(facts, policy, isApproved),
  }
  const [project] = state.settings.directories
  if (isUnattended && verdict.needsPerson === true) return denied(call.name, verdict, place)
  // Asking for permission to ask the user a question would be pointless.
  const offers = verdict.isCoverable ? coverOffers({ tool, input: call.input, facts, project }) : []
  const isWaved = tool.performer === 'user' || isUnattended || isCovered(offers, state, judging)
  return { type: verdict.decision === 'ask' && !isWaved ? 'ask' : 'allow', tool, call: granted, facts, verdict, offers }
}

/** The protected paths that a grant opens. */
function guardedBy(facts: CallFacts, { preset, isOwn }: Policy): Pick<GrantedCall, 'guarded'> {
  if (facts.type !== 'shell' && facts.type !== 'read-files' && facts.type !== 'write-files') return {}
  if (preset === 'full-access' && isOwn) return { guarded: 'all' }
  return facts.guarded === undefined || facts.guarded.length === 0 ? {} : { guarded: facts.guarded }
}

/** What a command gets besides its sandbox. Without a person, nobody has approved the network or other folders. */
function accessOf(
  facts: CallFacts,
  { preset, isOwn, mayUseNetwork }: Policy,
  isApproved: boolean,
): Pick<GrantedCall, 'network' | 'writes' | 'place'> {
  if (facts.type !== 'shell' || facts.risk === 'safe') return {}
  if (preset === 'full-access' && isOwn) return { place: 'machine', ...(mayUseNetwork && { network: true }) }
  if (!isApproved) return {}
  return {
    ...(facts.network !== undefined && mayUseNetwork && { network: true as const }),
    ...(facts.writes !== undefined && isOwn && { writes: facts.writes }),
  }
}

/** The kind of a call's tool. `undefined` for `other`, client tools and unknown tools. */
export function kindOfCall(
  { name }: Pick<JudgedCall, 'name'>,
  { settings: { clientTools } }: SessionState,
  { line }: Judging,
): ToolKind | undefined {
  if (depthOf(line) === 0 && isClientTool(clientTools, name)) return undefined
  const tool = findTool(line[0], name)
  const kind = tool && kindOf(tool)
  return kind === 'other' ? undefined : kind
}

/** The user allowed one of these in the session or in its project. */
const isCovered = (
  offers: readonly CoverOffer[],
  { overrides }: SessionState,
  { userRules }: Pick<Judging, 'userRules'>,
): boolean =>
  offers.some(
    ({ covers, project }) =>
      overrides.includes(covers) ||
      (project !== undefined && userRules.some(({ kept }) => kept?.project === project && kept.covers === covers)),
  )

/** The part of an approval request that says what it gives, and what *always allow* can cover. */
export function askedOf({ tool, call, facts, verdict, offers }: Ruling & { readonly type: 'allow' | 'ask' }) {
  const { reason, isCoverable } = verdict
  const { network } = facts.type === 'shell' ? facts : {}
  return {
    reason,
    isCoverable,
    offers,
    ...(tool.definition !== undefined && { covers: toolKey(tool) }),
    ...(call.network && network && { network }),
    ...(call.writes && { writes: call.writes }),
  }
}

/** A digest of what the change starts from that the call would make now. */
export function beforeOf(
  toolCallId: string,
  { inspections }: Pick<Judging, 'inspections'>,
): { readonly before?: string } {
  const inspection = inspections.get(toolCallId)
  const before = typeof inspection === 'object' ? inspection.before : undefined
  return before === undefined ? {} : { before }
}

export const hashOf = (call: GrantedCall, { digest }: Pick<Judging, 'digest'>): string => hashCall(call, digest)

/** The tools that are offered to a loop's model: those of its agent that all of its ancestors have too. */
export function offeredIn(line: AgentLine, policy: Policy): readonly Tool[] {
  const [agent, ...above] = line
  return agent.tools.filter((tool) => {
    if (tool.performer === 'agent' && depthOf(line) >= DEEPEST_LOOP) return false
    if (!isOffered(tool, policy)) return false
    return above.every((parent) => {
      const theirs = findTool(parent, tool.name)
      return theirs !== undefined && isOffered(theirs, policy)
    })
  })
}

/** The strictest verdict of the loop's agent and its ancestors. */
function judgeInLine(line: AgentLine, { name, input }: JudgedCall, by: Pick<Case, 'facts' | 'policy'>): Verdict {
  return strictest(
    line.map((agent): Verdict => {
      const tool = findTool(agent, name)
      if (tool === undefined) return { decision: 'disabled', reason: 'not-of-parent', isCoverable: false }
      return judgeCall({ tool, input, ...by })
    }),
  )
}

function defaultFacts({ performer }: Tool): CallFacts {
  if (performer === 'user') return { type: 'question' }
  return performer === 'agent' ? { type: 'agent' } : { type: 'plain' }
}

const depthOf = (line: AgentLine): number => line.length - 1

function problemOfAgentCall(call: JudgedCall, { line, agents }: Judging): string | undefined {
  if (depthOf(line) >= DEEPEST_LOOP) return `sub-agents nest ${DEEPEST_LOOP} deep at most`
  const input = parseAgentInput(call.input)
  if (input === undefined) return `invalid input for ${call.name}: prompt: must be a text`
  const isKnown = input.agent === undefined || agents.find(input.agent) !== undefined
  return isKnown ? undefined : `there is no agent called ${input.agent}`
}

export const findTool = (agent: AgentDefinition, name: string): Tool | undefined =>
  agent.tools.find((candidate) => candidate.name === name)

const isClientTool = (clientTools: readonly ClientTool[], name: string): boolean =>
  clientTools.some((tool) => tool.name === name)

const refuse = (problem: string): Ruling => ({ type: 'refuse', status: 'failed', output: `Error: ${problem}` })

function denied(name: string, { reason }: Verdict, place: DeniedIn): Ruling {
  return { type: 'refuse', status: 'denied', output: `Error: the tool ${name} ${describeDenial(reason, place)}` }
}

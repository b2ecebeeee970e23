import { cameFromTool, sourceToolOf } from '../memory/came-from-tool.ts'
import type { ClientTool, Preset } from '../events/session-settings.ts'
import type { JsonObject } from '../json.ts'
import type { CallFacts, CallInspection } from '../events/call-facts.ts'
import type { CoverOffer } from '../events/call-events.ts'
import { coverOffers, toolKey } from '../permission/cover-offers.ts'
import { hashCall } from '../permission/grant.ts'
import type { GrantedCall } from '../ports/grant.ts'
import { isOffered, judgeCall } from '../permission/judge-call.ts'
import { hashPolicy, policyOf } from '../permission/policy-of.ts'
import type { BoundTool, PermissionRule } from '../ports/rule-store.ts'
import type { Policy, Verdict } from '../permission/policy.ts'
import { strictest } from '../permission/strictest.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import { kindOf, type Tool, type Workspace } from '../ports/tool.ts'
import type { ToolKind } from '../events/tool-kind.ts'
import type { SessionState } from '../state/session-state.ts'
import { parseAgentInput } from './agent-input.ts'
import { bindRules } from './bind-rules.ts'
import type { EngineParts } from '../engine-parts.ts'
import type { RunDeps } from './turn-deps.ts'

/** The maximum nesting depth of sub-agents. The session's own agent is at depth 0. */
export const DEEPEST_LOOP = 3

export interface JudgedCall {
  readonly toolCallId: string
  readonly name: string
  readonly input: JsonObject
}

/** The data for judging the calls of one loop, besides the state at that moment. */
export interface Judging {
  /** The loop's agent, then its ancestors. */
  readonly line: readonly [AgentDefinition, ...AgentDefinition[]]
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
      readonly verdict: Verdict
      /** What *always allow* can cover. */
      readonly offers: readonly CoverOffer[]
    }

/** Loads the data for judging: the user's rules, and each tool's inspection of its call. */
export async function prepareJudging(
  line: Judging['line'],
  calls: readonly JudgedCall[],
  deps: RunDeps,
): Promise<Judging> {
  const { session, rules, workspaces, operator, agents, digest } = deps
  const { state } = session
  const { sessionId, agent, origin } = state
  const owner = { sessionId, agent, directories: state.settings.directories, ...(origin && { origin }) }
  let workspace = workspaces.locate(owner)
  const inspections = new Map<string, CallInspection | 'failed'>()
  const problems = new Map<string, string>()
  let isPrepared = false
  for (const call of calls) {
    const tool = findTool(line[0], call.name)
    const check = tool?.check(call.input)
    const deep = check?.ok === true ? await tool?.deepCheck?.(call.input) : undefined
    if (deep?.ok === false) problems.set(call.toolCallId, deep.problem)
    if (tool?.inspect === undefined || check?.ok !== true) continue
    try {
      if (!isPrepared) workspace = await workspaces.prepare(owner)
      isPrepared = true
      inspections.set(
        call.toolCallId,
        await withOrigin(await tool.inspect(check.input, workspace, { sessionId, signal: deps.signal }), line, deps),
      )
    } catch (error) {
      deps.log({ level: 'error', message: 'a call could not be inspected', sessionId: state.sessionId, error })
      inspections.set(call.toolCallId, 'failed')
    }
  }
  const userRules = calls.length === 0 ? [] : await bindRules(state.userId, boundTools(line, calls), rules)
  return { line, userRules, operator, workspace, inspections, problems, agents, digest }
}

/** The tools of third parties among the called ones. */
function boundTools(line: Judging['line'], calls: readonly JudgedCall[]): readonly BoundTool[] {
  const tools = new Map<string, BoundTool>()
  for (const { name } of calls) {
    const definition = findTool(line[0], name)?.definition
    if (definition !== undefined) tools.set(name, { tool: name, definition })
  }
  return [...tools.values()]
}

/** Determines whether a text that is about to be stored came from a tool. The storing tool cannot know this. */
async function withOrigin(inspection: CallInspection, line: Judging['line'], deps: RunDeps): Promise<CallInspection> {
  const { facts } = inspection
  if (facts.type !== 'notes' || facts.kept === undefined) return inspection
  const { kept, ...noted } = facts
  const context = await deps.session.context()
  const hasUnseenResults = depthOf(line) > 0 || context.summedThrough > 0
  const isFromTool = cameFromTool(kept, { messages: context.unsummarised, hasUnseenResults })
  if (!isFromTool) return { ...inspection, facts: noted }
  const sourceTool = sourceToolOf(kept, context.unsummarised)
  return { ...inspection, facts: { ...noted, isFromTool, ...(sourceTool !== undefined && { sourceTool }) } }
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
  const verdict = judgeInLine(call, facts ?? { type: 'plain' }, policy, line)
  if (verdict.decision === 'disabled') return refuse(`the tool ${call.name} is not enabled in this session`)
  if (verdict.decision === 'deny') return denied(call.name, verdict, state.settings.preset)
  const wrong = check.ok ? judging.problems.get(call.toolCallId) : check.problem
  if (wrong !== undefined) return refuse(`invalid input for ${call.name}: ${wrong}`)
  if (facts === undefined) return refuse(`what ${call.name} would do could not be found out`)
  const problem = tool.performer === 'agent' ? problemOfAgentCall(call, judging) : undefined
  if (problem !== undefined) return refuse(problem)
  const granted: GrantedCall = {
    tool: call.name,
    input: call.input,
    cwd: judging.workspace.cwd,
    policy: hashPolicy(policy, judging.digest),
    ...(tool.definition !== undefined && { definition: tool.definition }),
    ...guardedBy(facts, policy),
    ...(facts.type === 'shell' && facts.risk === 'safe' && { isHarmless: true as const }),
    ...(facts.type === 'notes' && facts.isFromTool === true && { textFrom: facts.sourceTool ?? '' }),
  }
  const isUnattended = state.turn?.settings.isUnattended === true
  if (isUnattended && verdict.needsPerson === true) return denied(call.name, verdict, state.settings.preset)
  // Asking for permission to ask the user a question would be pointless.
  const offers = verdict.isCoverable ? coverOffers({ tool, input: call.input, facts }) : []
  const isWaved = tool.performer === 'user' || isUnattended || isCovered(offers, state)
  return { type: verdict.decision === 'ask' && !isWaved ? 'ask' : 'allow', tool, call: granted, verdict, offers }
}

/** The protected paths that a grant opens. */
function guardedBy(facts: CallFacts, { preset, isOwn }: Policy): Pick<GrantedCall, 'guarded'> {
  if (facts.type !== 'shell' && facts.type !== 'read-files' && facts.type !== 'write-files') return {}
  if (preset === 'full-access' && isOwn) return { guarded: 'all' }
  return facts.guarded === undefined || facts.guarded.length === 0 ? {} : { guarded: facts.guarded }
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

/** The user allowed one of these in the session. */
const isCovered = (offers: readonly CoverOffer[], { overrides }: SessionState): boolean =>
  offers.some(({ covers }) => overrides.includes(covers))

/** The part of an approval request that says what *always allow* can cover. */
export function askedOf({ tool, verdict, offers }: Ruling & { readonly type: 'allow' | 'ask' }) {
  const { reason, isCoverable } = verdict
  return { reason, isCoverable, offers, ...(tool.definition !== undefined && { covers: toolKey(tool) }) }
}

export const hashOf = (call: GrantedCall, { digest }: Pick<Judging, 'digest'>): string => hashCall(call, digest)

/** The tools that are offered to a loop's model: those of its agent that all of its ancestors have too. */
export function offeredIn(line: Judging['line'], policy: Policy): readonly Tool[] {
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
function judgeInLine(call: JudgedCall, facts: CallFacts, policy: Policy, line: Judging['line']): Verdict {
  return strictest(
    line.map((agent): Verdict => {
      const tool = findTool(agent, call.name)
      if (tool === undefined) return { decision: 'disabled', reason: 'not-of-parent', isCoverable: false }
      return judgeCall({ tool, input: call.input, facts, policy })
    }),
  )
}

function defaultFacts({ performer }: Tool): CallFacts {
  if (performer === 'user') return { type: 'question' }
  return performer === 'agent' ? { type: 'agent' } : { type: 'plain' }
}

const depthOf = (line: Judging['line']): number => line.length - 1

function problemOfAgentCall(call: JudgedCall, { line, agents }: Judging): string | undefined {
  if (depthOf(line) >= DEEPEST_LOOP) return `sub-agents nest ${DEEPEST_LOOP} deep at most`
  const input = parseAgentInput(call.input)
  if (input === undefined) return `invalid input for ${call.name}: prompt: must be a text`
  const isKnown = input.agent === undefined || agents.find(input.agent) !== undefined
  return isKnown ? undefined : `there is no agent called ${input.agent}`
}

const findTool = (agent: AgentDefinition, name: string): Tool | undefined =>
  agent.tools.find((candidate) => candidate.name === name)

const isClientTool = (clientTools: readonly ClientTool[], name: string): boolean =>
  clientTools.some((tool) => tool.name === name)

const refuse = (problem: string): Ruling => ({ type: 'refuse', status: 'failed', output: `Error: ${problem}` })

/** Follows the name of the tool. */
function describeDenial(reason: string, preset: Preset): string {
  const [code = ''] = reason.split(':', 1)
  const detail = reason.slice(code.length + 1)
  switch (code) {
    case 'mode-preset':
      return `is not allowed in mode ${preset}`
    case 'dangerous':
      return `may not run this command in mode ${preset}: it ${detail}`
    case 'hardline':
      return `may never run this command: ${detail}`
    case 'path-policy':
      return 'may not touch a path outside of the workspace, or a file of the server itself'
    case 'protected-path':
      return `may not touch the protected path ${detail} in this session`
    case 'operator-rule':
      return 'was denied by a rule of the operator'
    case 'user-rule':
      return "was denied by one of the user's rules"
    case 'text-from-tool':
      return 'may not store a text that came from a tool result, because nobody can be asked'
    case 'no-sandbox':
      return 'is only for the user who runs the server, because no sandbox works here (bash.withoutSandbox)'
    default:
      return `was denied (${reason})`
  }
}

function denied(name: string, { reason }: Verdict, preset: Preset): Ruling {
  return { type: 'refuse', status: 'denied', output: `Error: the tool ${name} ${describeDenial(reason, preset)}` }
}

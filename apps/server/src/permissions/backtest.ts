import {
  judgeCall,
  matchesRule,
  policyOf,
  type AgentCatalog,
  type CallFacts,
  type Clock,
  type EventStore,
  type OperatorPolicy,
  type PermissionRule,
  type Tool,
  type UserId,
  type Verdict,
} from '@polylogue/engine'
import { setImmediate as giveWay } from 'node:timers/promises'
import { readPastCalls, type Happened, type PastCall } from './past-calls.ts'

export interface BacktestDeps {
  readonly events: Pick<EventStore, 'listSessions' | 'readHead' | 'readEvents'>
  readonly agents: Pick<AgentCatalog, 'find' | 'list'>
  readonly clock: Pick<Clock, 'now'>
  readonly operator: OperatorPolicy
}

export interface BacktestQuery {
  readonly userId: UserId
  readonly proposed: PermissionRule
  /** The rules that the user has. */
  readonly rules: readonly PermissionRule[]
  /** Tried before the others instead of after them. */
  readonly isFirst: boolean
  readonly calls: number
}

/** What a rule would have made of the calls that were made. */
export interface Backtest {
  readonly sessions: number
  readonly looked: number
  /** Of tools that are gone, or say of a call what they did not say then. */
  readonly unknown: number
  /** Calls that the rule is about, by what would become of them with it. */
  readonly totals: { readonly [decision in Verdict['decision']]: number }
  /** Those that today's rules judge otherwise. */
  readonly changed: number
  readonly isComplete: boolean
  /** Newest first. */
  readonly calls: readonly TestedCall[]
}

export interface TestedCall extends Pick<PastCall, 'sessionId' | 'toolCallId' | 'at' | 'tool' | 'preset'> {
  readonly what: string
  readonly happened: Happened
  /** By today's rules. */
  readonly without: Verdict['decision']
  readonly with: Verdict['decision']
  readonly reason: string
}

const MOST_LISTED = 200
/** Rules may be slow to compare; others wait between two calls only. */
const LONGEST_MS = 5_000
const LONGEST_TEXT = 200

export async function backtest(query: BacktestQuery, deps: BacktestDeps): Promise<Backtest> {
  const past = await readPastCalls(deps.events, query)
  const listed: TestedCall[] = []
  const totals = { allow: 0, ask: 0, deny: 0, disabled: 0 }
  const endsAt = deps.clock.now() + LONGEST_MS
  let looked = 0
  let unknown = 0
  let changed = 0
  for (const call of past.calls) {
    if (deps.clock.now() > endsAt) break
    await giveWay()
    looked += 1
    if (call.happened === 'refused') continue
    const tool = findTool(deps.agents, call)
    const facts = tool && factsOf(tool, call)
    if (tool === undefined || facts === undefined) {
      unknown += 1
      continue
    }
    if (!matchesRule(query.proposed, { tool: call.tool, input: call.input, facts })) continue
    const judge = (userRules: readonly PermissionRule[]): Verdict => {
      const policy = policyOf({ ...call, userId: query.userId }, deps.operator, userRules)
      return judgeCall({ tool, input: call.input, facts, policy })
    }
    const without = judge(query.rules)
    const verdict = judge(query.isFirst ? [query.proposed, ...query.rules] : [...query.rules, query.proposed])
    totals[verdict.decision] += 1
    if (verdict.decision !== without.decision) changed += 1
    if (listed.length < MOST_LISTED) listed.push(toTested(call, without, verdict))
  }
  return {
    sessions: past.sessions,
    looked,
    unknown,
    totals,
    changed,
    isComplete: past.isComplete && looked === past.calls.length,
    calls: listed,
  }
}

/** A sub-agent's tools are another agent's. */
function findTool(agents: BacktestDeps['agents'], { agent, tool }: PastCall): Tool | undefined {
  const own = agents.find(agent)
  return [...(own ? [own] : []), ...agents.list()].flatMap(({ tools }) => tools).find(({ name }) => name === tool)
}

/** As the log has them: a file may be another one by now, and a command may be understood better. */
function factsOf({ inspect, performer }: Tool, { facts }: PastCall): CallFacts | undefined {
  if (facts !== undefined || inspect !== undefined) return facts
  return { type: performer === 'user' ? 'question' : performer === 'agent' ? 'agent' : 'plain' }
}

function toTested(call: PastCall, without: Verdict, verdict: Verdict): TestedCall {
  const { sessionId, toolCallId, at, tool, preset, happened, title, input } = call
  const what = (title ?? JSON.stringify(input)).slice(0, LONGEST_TEXT)
  return {
    sessionId,
    toolCallId,
    at,
    tool,
    preset,
    what,
    happened,
    without: without.decision,
    with: verdict.decision,
    reason: verdict.reason,
  }
}

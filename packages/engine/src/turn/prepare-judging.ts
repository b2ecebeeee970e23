import { cameFromTool, sourceToolOf } from '../memory/came-from-tool.ts'
import type { CallInspection } from '../events/call-facts.ts'
import type { BoundTool } from '../ports/rule-store.ts'
import { bindRules } from './bind-rules.ts'
import { findTool, type JudgedCall, type Judging } from './judge-calls.ts'
import type { AgentLine } from './loop-agents.ts'
import { isPassing } from './passing-fault.ts'
import { PreviewRoom } from './preview-room.ts'
import type { RunDeps } from './turn-deps.ts'

/** Loads the data for judging: the user's rules, and each tool's inspection of its call. */
export async function prepareJudging(line: AgentLine, calls: readonly JudgedCall[], deps: RunDeps): Promise<Judging> {
  const { session, rules, workspaces, operator, agents, digest } = deps
  const { state } = session
  const { sessionId, agent, origin } = state
  const owner = { sessionId, agent, directories: state.settings.directories, ...(origin && { origin }) }
  let workspace = workspaces.locate(owner)
  const inspections = new Map<string, CallInspection | 'failed'>()
  const problems = new Map<string, string>()
  const room = new PreviewRoom()
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
      const inspected = await tool.inspect(check.input, workspace, { sessionId, signal: deps.signal })
      inspections.set(call.toolCallId, room.fit(await withOrigin(inspected, line, deps)))
    } catch (error) {
      if (isPassing(error)) throw error
      deps.log({ level: 'error', message: 'a call could not be inspected', sessionId: state.sessionId, error })
      inspections.set(call.toolCallId, 'failed')
    }
  }
  const userRules = calls.length === 0 ? [] : await bindRules(state.userId, boundTools(line, calls), rules)
  return { line, userRules, operator, workspace, inspections, problems, agents, digest }
}

/** The tools of third parties among the called ones. */
function boundTools(line: AgentLine, calls: readonly JudgedCall[]): readonly BoundTool[] {
  const tools = new Map<string, BoundTool>()
  for (const { name } of calls) {
    const definition = findTool(line[0], name)?.definition
    if (definition !== undefined) tools.set(name, { tool: name, definition })
  }
  return [...tools.values()]
}

/** The prompt of a schedule may be an agent's. */
const isUnattended = ({ session }: RunDeps): boolean => session.state.turn?.settings.isUnattended === true

/** Determines whether a text that is about to be stored came from a tool. The storing tool cannot know this. */
async function withOrigin(inspection: CallInspection, line: AgentLine, deps: RunDeps): Promise<CallInspection> {
  const { facts } = inspection
  if (facts.type !== 'notes' || facts.kept === undefined) return inspection
  const { kept, ...noted } = facts
  const context = await deps.session.context()
  const { unsummarised: messages, ownWords } = context
  const hasUnseenTexts =
    line.length > 1 ||
    context.summedThrough > 0 ||
    context.hasOthersTexts ||
    context.recalled.some(({ origin }) => origin !== 'user') ||
    line[0].tools.some(({ definition }) => definition !== undefined)
  const isFromTool = isUnattended(deps) || cameFromTool(kept, { messages, ownWords, hasUnseenTexts })
  if (!isFromTool) return { ...inspection, facts: noted }
  const sourceTool = sourceToolOf(kept, context.unsummarised)
  return { ...inspection, facts: { ...noted, isFromTool, ...(sourceTool !== undefined && { sourceTool }) } }
}

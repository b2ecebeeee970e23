import type { ToolCallSettled } from '../events/recorded-event.ts'
import { failpoint } from '../failpoint.ts'
import type { ToolCallId, TurnId } from '../ids.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import { stepEndIfSettled } from '../session/decide-answers.ts'
import { openCallsOf, type OpenCall } from '../session/state.ts'
import { issueGrant } from '../permission/grant.ts'
import { hashCall } from './plan-calls.ts'
import { RunnerStopped, stopReasonOf, type RunDeps } from './turn-deps.ts'

/**
 * Runs every call that may run, side by side, and records each result as it comes. A call that is granted while others
 * run joins them. Returns when nothing is left to run, or when the turn was cancelled.
 */
export async function settleToolCalls(turnId: TurnId, agent: AgentDefinition, deps: RunDeps): Promise<void> {
  const { session, signal } = deps
  const running = new Map<ToolCallId, Promise<void>>()
  const stopped = aborted(signal)
  while (!signal.aborted) {
    const ready = runnable(deps, turnId).filter((call) => !running.has(call.toolCallId))
    if (ready.length > 0) {
      await recordStarted(ready, turnId, deps)
      for (const call of ready) {
        const run = runCall(call, turnId, agent, deps).finally(() => running.delete(call.toolCallId))
        running.set(call.toolCallId, run)
      }
      continue
    }
    if (running.size === 0) return
    await Promise.race([...running.values(), deps.nudged(), stopped])
  }
  await Promise.allSettled(running.values())
  if (stopReasonOf(signal) !== 'cancel' && session.state.turn?.turnId === turnId) throw new RunnerStopped()
}

function runnable(deps: RunDeps, turnId: TurnId): readonly OpenCall[] {
  const { turn } = deps.session.state
  if (turn?.turnId !== turnId) return []
  return openCallsOf(turn).filter((call) => call.phase === 'ready' || call.phase === 'running')
}

/** One append for all of them, before any of them runs. */
async function recordStarted(calls: readonly OpenCall[], turnId: TurnId, deps: RunDeps): Promise<void> {
  await deps.session.commit(
    () => ({
      events: calls.map(({ toolCallId, name, input, attempt }) => ({
        type: 'tool-call.started',
        turnId,
        toolCallId,
        attempt: attempt + 1,
        callHash: hashCall(name, input, deps.digest),
      })),
    }),
    deps.fence,
  )
}

async function runCall(call: OpenCall, turnId: TurnId, agent: AgentDefinition, deps: RunDeps): Promise<void> {
  const { session, clock, fence, signal } = deps
  const startedAt = clock.now()
  await failpoint('tool.before-run')
  const result = await Promise.race([runTool(call, agent, deps), aborted(signal)])
  await failpoint('tool.after-run')
  if (result === undefined) return
  const { toolCallId } = call
  const settled: ToolCallSettled = {
    type: 'tool-call.settled',
    turnId,
    toolCallId,
    ...result,
    by: 'tool',
    durationMs: clock.now() - startedAt,
  }
  await session.commit(({ turn }) => {
    const isOpen = openCallsOf(turn).some((open) => open.toolCallId === toolCallId)
    return { events: isOpen && turn ? [settled, ...stepEndIfSettled(turn, [settled])] : [] }
  }, fence)
}

/** A tool that throws has failed its call, not the turn. */
async function runTool(
  call: OpenCall,
  agent: AgentDefinition,
  deps: RunDeps,
): Promise<Pick<ToolCallSettled, 'status' | 'output'> | undefined> {
  const tool = agent.tools.find((candidate) => candidate.name === call.name)
  if (tool === undefined) return { status: 'failed', output: `Error: there is no tool called ${call.name}` }
  const check = tool.check(call.input)
  if (!check.ok) return { status: 'failed', output: `Error: invalid input for ${call.name}: ${check.problem}` }
  const { sessionId, userId } = deps.session.state
  try {
    const { content, isError } = await tool.run({
      sessionId,
      userId,
      toolCallId: call.toolCallId,
      input: check.input,
      attempt: call.attempt + 1,
      signal: deps.signal,
      workspace: { cwd: '/', roots: [] },
      grant: issueGrant({ tool: call.name, input: call.input, cwd: '/', policy: '' }, deps.digest),
      progress: () => {},
    })
    return { status: isError === true ? 'failed' : 'completed', output: content }
  } catch (error) {
    if (deps.signal.aborted) return undefined
    return { status: 'failed', output: `Error: ${error instanceof Error ? error.message : String(error)}` }
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))
}

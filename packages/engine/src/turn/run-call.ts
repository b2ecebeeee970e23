import type { ToolContent } from '../content.ts'
import type { ToolCallSettled } from '../events/call-events.ts'
import { failpoint } from '../failpoint.ts'
import type { TurnId } from '../ids.ts'
import type { NewBlob } from '../ports/event-store.ts'
import { keptOutput } from '../session/end-turn.ts'
import { childOf, type OpenCall } from '../state/session-state.ts'
import type { CallResults } from './call-results.ts'
import type { LoopPlace } from './loop-place.ts'
import { recordChildEnd } from './record-child-end.ts'
import { loopIdOf, type StartedCall } from './start-calls.ts'
import { isOwnEnd, stopReasonOf, type RunDeps, type StopReason } from './turn-deps.ts'

/** The default time limit of a sub-agent. Time spent waiting for a human does not count. */
const CHILD_DEADLINE_MS = 30 * 60_000

interface Result extends Pick<ToolCallSettled, 'status' | 'output' | 'meta' | 'changedFiles'> {
  readonly blobs?: readonly NewBlob[]
  readonly blocked?: string
}

/** Runs a sub-agent's loop until it ends or waits for a human. */
export type RunLoop = (place: LoopPlace, deps: RunDeps) => Promise<void>

interface CallRun {
  readonly turnId: TurnId
  readonly results: CallResults
  /** Aborts with the turn, or alone. */
  readonly abort: AbortController
  readonly runLoop: RunLoop
}

/** Runs one started call and records its result. */
export async function runCall(started: StartedCall, run: CallRun, deps: RunDeps): Promise<void> {
  const { turnId, abort, results } = run
  const own: RunDeps = { ...deps, signal: abort.signal }
  if (started.tool.performer === 'agent') return runChild(started.call, run, own)
  const { clock } = deps
  const startedAt = clock.now()
  await failpoint('tool.before-run')
  const result = await runUntilStopped(started, own)
  await failpoint('tool.after-run')
  if (result === undefined) return
  const { blobs = [], blocked, ...told } = result
  const settled: ToolCallSettled = {
    type: 'tool-call.settled',
    turnId,
    toolCallId: started.call.toolCallId,
    ...told,
    by: told.status === 'cancelled' ? 'engine' : 'tool',
    durationMs: clock.now() - startedAt,
  }
  await results.record({ settled, blobs, ...(blocked !== undefined && { stopped: { settled, blocked, started } }) })
}

/**
 * `undefined`: the turn was stopped, and the code that stopped it settles the call. A tool that ignores the signal does
 * not block the turn. A tool with `stopGraceMs` has that long to stop.
 */
async function runUntilStopped(started: StartedCall, deps: RunDeps): Promise<Result | undefined> {
  const { signal, clock } = deps
  const run = runTool(started, deps)
  const stopped = Promise.withResolvers<void>()
  const onAbort = (): void => stopped.resolve()
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  const result = await Promise.race([run, stopped.promise])
  signal.removeEventListener('abort', onAbort)
  if (!signal.aborted) return result ?? undefined
  const { stopGraceMs = 0 } = started.tool
  if (stopGraceMs > 0) {
    const grace = Promise.withResolvers<void>()
    const timer = clock.setTimer(stopGraceMs, grace.resolve)
    await Promise.race([run, grace.promise])
    timer.cancel()
  }
  const reason = stopReasonOf(signal)
  if (reason !== 'cancel-call') return undefined
  const shown = deps.session.feed.outputOf(started.call.toolCallId)
  return { status: 'cancelled', output: keptOutput('Tool call cancelled', shown) }
}

/** An error thrown by a tool fails the call, not the turn. */
async function runTool({ call, tool, grant, workspace }: StartedCall, deps: RunDeps): Promise<Result | undefined> {
  const check = tool.check(grant.call.input)
  if (!check.ok) return { status: 'failed', output: `Error: invalid input for ${call.name}: ${check.problem}` }
  const { state, feed } = deps.session
  const { sessionId, userId } = state
  const { toolCallId } = call
  try {
    const {
      content,
      blobs = [],
      isError,
      meta,
      changedFiles,
      blocked,
    } = await tool.run({
      sessionId,
      userId,
      toolCallId,
      input: check.input,
      attempt: call.attempt + 1,
      signal: deps.signal,
      workspace,
      grant,
      progress: (text) => feed.publishOutput(toolCallId, text),
    })
    if (!hasEveryBlob(content, blobs)) throw new Error(`${call.name} returned an image without its bytes`)
    return {
      status: isError === true ? 'failed' : 'completed',
      output: content,
      ...(blobs.length > 0 && { blobs }),
      ...(meta && { meta }),
      ...(changedFiles && changedFiles.length > 0 && { changedFiles }),
      ...(blocked !== undefined && { blocked }),
    }
  } catch (error) {
    if (deps.signal.aborted) return undefined
    return { status: 'failed', output: `Error: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** An image without bytes would break every later model request. */
function hasEveryBlob(content: ToolContent, blobs: readonly NewBlob[]): boolean {
  if (typeof content === 'string') return true
  const hashes = new Set(blobs.map(({ hash }) => hash))
  return content.every((part) => part.type === 'text' || part.source.type === 'url' || hashes.has(part.source.hash))
}

async function runChild(call: OpenCall, { turnId, abort, runLoop }: CallRun, deps: RunDeps): Promise<void> {
  const { session, clock, agents, signal } = deps
  const loopId = loopIdOf(call.toolCallId)
  const child = session.state.turn && childOf(session.state.turn, call.toolCallId)
  const deadlineMs = agents.find(child?.agent ?? '')?.deadlineMs ?? CHILD_DEADLINE_MS
  const timer = clock.setTimer(deadlineMs, () => abort.abort('deadline' satisfies StopReason))
  try {
    await runLoop({ turnId, loopId }, deps)
  } finally {
    timer.cancel()
  }
  const reason = stopReasonOf(signal)
  if (!isOwnEnd(reason)) return
  await recordChildEnd({ turnId, loopId }, { outcome: reason === 'deadline' ? 'deadline' : 'cancelled' }, deps)
}

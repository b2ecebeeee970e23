import type { ToolCallId } from '../ids.ts'
import { findLoop, openCallsIn, type OpenCall, type SessionState } from '../state/session-state.ts'
import { CallResults } from './call-results.ts'
import type { LoopPlace } from './loop-place.ts'
import { runCall, type RunLoop } from './run-call.ts'
import { readyCalls, startCalls, type CallPlace, type StartedCall } from './start-calls.ts'
import { RunnerStopped, isOwnEnd, stopReasonOf, type RunDeps, type StopReason } from './turn-deps.ts'

interface RunningCall {
  readonly done: Promise<void>
  readonly abort: AbortController
}

export interface Settling {
  readonly place: CallPlace
  /** Calls that were recorded as started and do not run yet. */
  readonly started?: readonly StartedCall[]
  readonly runLoop: RunLoop
}

/**
 * Runs all runnable calls of a loop concurrently and records the results as they arrive. A call that is granted in the
 * meantime joins them. Returns when nothing is left to run, or when the turn or the loop was stopped.
 */
export async function settleToolCalls({ place, started = [], runLoop }: Settling, deps: RunDeps): Promise<void> {
  const { session, signal } = deps
  const { turnId } = place
  const running = new Map<ToolCallId, RunningCall>()
  const results = new CallResults({ place, unfinished: () => running.size }, deps)
  const stopped = Promise.withResolvers<void>()
  // Not `AbortSignal.any`, which keeps weak references that the garbage collector must look at.
  const onAbort = (): void => {
    for (const { abort } of running.values()) abort.abort(signal.reason)
    stopped.resolve()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  const launch = (call: StartedCall): void => {
    const abort = new AbortController()
    if (signal.aborted) abort.abort(signal.reason)
    const { toolCallId } = call.call
    const done = runCall(call, { turnId, abort, results, runLoop }, deps).finally(() => running.delete(toolCallId))
    running.set(toolCallId, { done, abort })
  }
  try {
    if (!signal.aborted) started.forEach(launch)
    while (!signal.aborted) {
      for (const call of openCalls(session.state, place)) {
        if (call.cancelled !== undefined) running.get(call.toolCallId)?.abort.abort('cancel-call' satisfies StopReason)
      }
      const ready = readyCalls(session.state, place).filter((call) => !running.has(call.toolCallId))
      if (ready.length > 0) {
        for (const call of await startCalls(ready, place, deps)) launch(call)
        continue
      }
      if (running.size === 0) return
      await Promise.race([...[...running.values()].map(({ done }) => done), deps.nudged(), stopped.promise])
    }
  } finally {
    // After an error, calls still run until the runner aborts.
    if (running.size === 0) signal.removeEventListener('abort', onAbort)
  }
  await Promise.allSettled([...running.values()].map(({ done }) => done))
  const reason = stopReasonOf(signal)
  if (reason !== 'cancel' && !isOwnEnd(reason) && session.state.turn?.turnId === turnId) throw new RunnerStopped()
}

function openCalls({ turn }: SessionState, { turnId, loopId }: LoopPlace): readonly OpenCall[] {
  const loop = turn?.turnId === turnId ? findLoop(turn, loopId) : undefined
  return loop === undefined ? [] : openCallsIn(loop)
}

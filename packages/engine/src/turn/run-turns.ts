import type { EngineParts } from '../engine-parts.ts'
import type { Fence } from '../ports/event-store.ts'
import { findSessionAgent } from '../session/session-agent.ts'
import { ROOT, compactLoop } from './compact-loop.ts'
import { runTurn } from './run-turn.ts'
import { depsOf, type Runner } from './runner.ts'
import { stopReasonOf, type StopReason } from './turn-deps.ts'

interface TurnsParts {
  readonly parts: EngineParts
  isStopping(): boolean
}

/** Runs the turns and the requested compactions of a session until nothing is left or the runner must stop. */
export async function runTurns(runner: Runner, fence: Fence, { parts, isStopping }: TurnsParts): Promise<void> {
  const { session } = runner
  for (;;) {
    if (session.hasReleased(fence) || runner.isReplaced) return
    runner.isNudged = false
    const { turn } = session.state
    runner.turnId = turn?.turnId
    if (turn === undefined && session.state.isCompactionWanted) {
      await compact(runner, fence, parts)
      if (runner.abort.signal.aborted) return
      continue
    }
    if (turn?.status !== 'running') return
    if (isStopping() && turn.answeredSteps === 0 && turn.step === undefined) return
    if (stopReasonOf(runner.abort.signal) === 'cancel') runner.abort = new AbortController()
    if (runner.abort.signal.aborted) return
    if (turn.cancelled !== undefined) runner.abort.abort('cancel' satisfies StopReason)
    await runTurn(turn, depsOf(runner, fence, parts))
  }
}

async function compact(runner: Runner, fence: Fence, parts: EngineParts): Promise<void> {
  const { state } = runner.session
  const agent = findSessionAgent(state, state.agent, parts)
  if (agent !== undefined) await compactLoop({ loop: ROOT, line: [agent] }, 'manual', depsOf(runner, fence, parts))
}

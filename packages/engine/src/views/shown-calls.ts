import type { StepBlock, ToolCallPart } from '../content.ts'
import type { Cursor } from '../events/live-event.ts'
import type { ToolCallSettled } from '../events/call-events.ts'
import type { Recorded, RecordedEvent } from '../events/recorded-event.ts'
import type { StepAnswered } from '../events/step-events.ts'
import type { TurnPaused, TurnResumed } from '../events/turn-events.ts'
import type { ToolCallId } from '../ids.ts'

/** A result, and the cursor of a client that has seen everything up to it. */
export interface ShownResult {
  readonly at: Cursor
  readonly result: ToolCallSettled
}

export interface ShownCall {
  readonly at: Cursor
  readonly call: ToolCallPart
}

/** What is shown at a pause: first the calls, then the delayed results. */
export interface ShownPause {
  readonly calls: readonly ShownCall[]
  /** Whether the calls belong to the message of the agent's newest step. */
  readonly isSameMessage: boolean
  readonly results: readonly ShownResult[]
}

interface ShownStep {
  readonly seq: number
  /** The number of blocks in the step. Items after the blocks have this number in their cursor. */
  readonly afterBlocks: number
  readonly calls: ReadonlySet<ToolCallId>
  /** Calls of the step that sub-agents perform. */
  readonly agents: Set<ToolCallId>
  readonly held: Recorded<ToolCallSettled>[]
  hasResult: boolean
}

/**
 * Decides which calls and results of a turn a client sees, and when. Clients look for waiting calls only in the last
 * assistant message, and a result ends that message. So calls of sub-agents are shown when the turn pauses, together
 * with all other waiting calls. While a sub-agent may still start to wait, the results of its step are delayed.
 */
export class ShownCalls {
  /** The agent's newest step, if this segment shows it. */
  #step: ShownStep | undefined
  readonly #childCalls = new Map<ToolCallId, ToolCallPart>()
  /** Calls of sub-agents that the client knows. */
  readonly #shown = new Set<ToolCallId>()
  /** Calls of sub-agents that started to wait in this segment. */
  readonly #fresh = new Set<ToolCallId>()
  /** Whether the whole segment was read. */
  #isWhole = false
  #skipped = 0

  /** The results that are delayed so far. */
  get held(): readonly ToolCallSettled[] {
    return this.#step?.held.map(({ event }) => event) ?? []
  }

  segmentStarted(event?: TurnResumed): void {
    this.#isWhole = true
    this.#step = undefined
    this.#fresh.clear()
    for (const toolCallId of event?.waited ?? []) this.#shown.add(toolCallId)
  }

  turnEnded(): void {
    this.#step = undefined
    this.#childCalls.clear()
    this.#shown.clear()
    this.#fresh.clear()
  }

  /** How many of the items after the blocks of the next step the client has seen. */
  skip(items: number): void {
    this.#skipped = items
  }

  /** Handles an answered step of the session's own agent. */
  stepAnswered({ seq, event }: Recorded<StepAnswered>): void {
    const calls = event.blocks.filter(isCall).map(({ toolCallId }) => toolCallId)
    const agents = new Set(calls.filter((toolCallId) => event.routes[toolCallId] === 'agent'))
    const afterBlocks = event.blocks.length
    this.#step = { seq, afterBlocks, calls: new Set(calls), agents, held: [], hasResult: false }
  }

  /** Handles an event of a sub-agent, except results. */
  childDid(event: RecordedEvent): void {
    if (event.type === 'step.answered') {
      for (const call of event.blocks.filter(isCall)) {
        this.#childCalls.set(call.toolCallId, call)
        const route = event.routes[call.toolCallId]
        if (route === 'client' || route === 'question') this.#waits(call.toolCallId)
      }
    }
    if (event.type === 'approval.requested') this.#waits(event.toolCallId)
    // The call was approved while the turn was running. Once a result was shown, delaying others is useless.
    if (event.type === 'loop.started' && this.#step?.calls.has(event.parentToolCallId) && !this.#step.hasResult)
      this.#step.agents.add(event.parentToolCallId)
    // A reader that starts after the call was shown learns about the call from the answer.
    if (event.type === 'approval.resolved') this.#shown.add(event.toolCallId)
  }

  /** A call of the agent itself needs an approval, so its sub-agent has not started. */
  approvalRequested(toolCallId: ToolCallId): void {
    this.#step?.agents.delete(toolCallId)
  }

  /** Returns the results to show now. */
  settled(recorded: Recorded<ToolCallSettled>, isChild: boolean): readonly ShownResult[] {
    const { toolCallId } = recorded.event
    if (isChild) {
      this.#childCalls.delete(toolCallId)
      this.#fresh.delete(toolCallId)
      if (!this.#shown.delete(toolCallId)) return []
    }
    const step = this.#step
    if (step === undefined || (step.agents.size === 0 && step.held.length === 0)) {
      if (step !== undefined) step.hasResult = true
      return [{ at: { seq: recorded.seq }, result: recorded.event }]
    }
    step.agents.delete(toolCallId)
    if (step.agents.size === 0) return this.#release(step, [], recorded).results
    step.held.push(recorded)
    return []
  }

  paused({ seq, event }: Recorded<TurnPaused>): ShownPause {
    const step = this.#step
    const calls = this.#callsToShow(event)
    for (const { toolCallId } of calls) this.#shown.add(toolCallId)
    this.#step = undefined
    this.#fresh.clear()
    if (step === undefined || step.hasResult) {
      const shown = calls.map((call, block) => ({ at: { seq, block, offset: 0 }, call }))
      return { calls: shown, isSameMessage: false, results: [] }
    }
    const added = calls.filter(({ toolCallId }) => !step.calls.has(toolCallId))
    return { ...this.#release(step, added), isSameMessage: true }
  }

  #waits(toolCallId: ToolCallId): void {
    if (!this.#shown.has(toolCallId)) this.#fresh.add(toolCallId)
  }

  /**
   * Empty unless a sub-agent's call started to wait. Then it lists all waiting calls, so that one message contains all
   * of them.
   */
  #callsToShow({ calls }: TurnPaused): readonly ToolCallPart[] {
    if (calls === undefined) {
      // Logs of earlier versions do not name the calls.
      return [...this.#fresh].flatMap((toolCallId) => this.#childCalls.get(toolCallId) ?? [])
    }
    const isNew = !this.#isWhole || calls.some(({ toolCallId }) => this.#fresh.has(toolCallId))
    return isNew ? calls.map((call) => ({ type: 'tool-call', ...call })) : []
  }

  #release(
    step: ShownStep,
    calls: readonly ToolCallPart[],
    last?: Recorded<ToolCallSettled>,
  ): Omit<ShownPause, 'isSameMessage'> {
    const { held } = step
    let item = 0
    const next = (): Cursor => ({ seq: step.seq, block: step.afterBlocks, offset: ++item })
    const shownCalls = calls.map((call) => ({ at: next(), call }))
    const shownResults: ShownResult[] = held.splice(0).map(({ event }) => ({ at: next(), result: event }))
    if (last !== undefined) shownResults.push({ at: { seq: last.seq }, result: last.event })
    step.hasResult = shownResults.length > 0
    const isUnseen = ({ at }: { at: Cursor }): boolean => at.offset === undefined || at.offset > this.#skipped
    const shown = { calls: shownCalls.filter(isUnseen), results: shownResults.filter(isUnseen) }
    this.#skipped = 0
    return shown
  }
}

const isCall = (block: StepBlock): block is ToolCallPart => block.type === 'tool-call'

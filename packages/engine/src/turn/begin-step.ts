import type { RecordedEvent } from '../events/recorded-event.ts'
import type { StepStarted } from '../events/step-events.ts'
import type { EngineParts } from '../engine-parts.ts'
import { ROOT_LOOP, type LoopId } from '../ids.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import type { ModelMessage } from '../ports/model.ts'
import type { OpenSession } from '../session/open-session.ts'
import { findLoop, type SessionState } from '../state/session-state.ts'
import { mayAskAboutBudget } from './ask-about-budget.ts'
import { hasRoomFor } from './compact-loop.ts'
import { MOST_REPEATS } from './find-circle.ts'
import { lineOfAgents } from './loop-agents.ts'
import { nextMove } from './next-move.ts'
import { mustNoteSurroundings } from './note-surroundings.ts'
import { stepStarted } from './step-started.ts'

export interface BeginStep {
  readonly parts: EngineParts
  readonly session: OpenSession
  readonly loopId?: LoopId
  /** The events that are recorded together with the start. */
  readonly added: readonly RecordedEvent[]
}

/**
 * The start of a loop's next model step, for the append that makes the step possible. Empty if the model is not next, or
 * if something may have to happen first that takes longer: a check for repeated calls, a description of the place, a
 * question about a budget, a compaction. Then the runner starts the step.
 */
export function beginStep(state: SessionState, begin: BeginStep): readonly StepStarted[] {
  const { parts, session, loopId = ROOT_LOOP } = begin
  const { turn } = state
  const loop = turn?.status === 'running' ? findLoop(turn, loopId) : undefined
  if (turn === undefined || loop === undefined || loop.step !== undefined) return []
  const line = lineOfAgents(state, loopId, parts)
  if (line === undefined || nextMove(turn, line[0], loop) !== 'ask-model') return []
  if (loop.answeredSteps >= MOST_REPEATS || mayAskAboutBudget(state, turn, parts)) return []
  if (mustNoteSurroundings(turn, line[0], parts) || !hasRoom(line[0], begin)) return []
  const { batches } = session.feed
  const reserved = batches && { reservedBatches: batches.wanted }
  const { turnId } = turn
  const started = stepStarted(state, { turnId, stepId: parts.ids.entryId(), loop, model: line[0].modelName })
  return [{ ...started, ...reserved }]
}

function hasRoom(agent: AgentDefinition, { session, loopId = ROOT_LOOP, added }: BeginStep): boolean {
  const context = session.loadedContext(loopId)
  const told = agent.isToldSurroundings === true ? session.loadedContext(ROOT_LOOP)?.surroundings : undefined
  const surroundings: readonly ModelMessage[] = told === undefined ? [] : [{ role: 'user', content: told }]
  return hasRoomFor(context, [...surroundings, ...added.flatMap(messagesIn)], agent)
}

/** The messages to the model that an event adds. Answers of the model itself are already counted. */
function messagesIn(event: RecordedEvent): readonly ModelMessage[] {
  switch (event.type) {
    case 'input.admitted':
    case 'input.changed':
      return [{ role: 'user', content: event.content }]
    case 'memories.recalled':
      return event.memories.map(({ content }) => ({ role: 'user', content }))
    case 'tool-call.settled':
      return [{ role: 'user', content: event.output }]
    default:
      return []
  }
}

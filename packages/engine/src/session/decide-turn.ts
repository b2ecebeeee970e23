import type { UserContent } from '../content.ts'
import { mergeSettings } from '../events/session-settings.ts'
import { EngineError } from '../errors.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'
import { endTurn, nextQueuedTurn, startTurn } from './end-turn.ts'
import type { CancelTurn, ChangeInput, StartTurn } from './command.ts'
import { acceptChanges, checkSettings } from './decide-changes.ts'
import type { DecideContext, Decision, TurnDecision } from './decision.ts'
import type { SessionState } from '../state/session-state.ts'

const QUEUE_LIMIT = 8
const SUPERSEDED = 'Tool call cancelled: superseded by a new user message'
const CANCELLED = 'Tool call cancelled'

/**
 * If a turn waits for a human, new input supersedes it. If a turn is running, the input is queued or refused, as the
 * door requests. Queued inputs go first, unless the door cannot wait.
 */
export function decideStartTurn(state: SessionState, command: StartTurn, context: DecideContext): TurnDecision {
  const { turn } = state
  const isRunning = turn?.status === 'running'
  const mustWait = isRunning || (turn?.status === 'waiting' && command.whenWaiting === 'queue')
  if (isRunning && command.whenRunning === 'refuse') {
    throw new EngineError('session-busy', 'a turn is already running in this session')
  }
  const queueLimit = context.limits?.queuedInputs ?? QUEUE_LIMIT
  if (mustWait && state.queue.length >= queueLimit) {
    throw new EngineError('queue-full', `${queueLimit} inputs are already waiting in this session`)
  }
  const { settings, content, given, via } = command
  checkSettings(settings, context)
  const changes = acceptChanges(state, context, command.changes)
  const turnId = context.ids.turnId()
  const inputId = context.ids.entryId()

  const events: RecordedEvent[] = changes.event ? [changes.event] : []
  if (turn?.status === 'waiting' && !mustWait)
    events.push(...endTurn(turn, { outcome: 'cancelled', openCalls: SUPERSEDED, isSuperseded: true }))
  const extras = { ...(settings && { settings }), ...(given && { given }), ...(via !== undefined && { via }) }
  events.push({ type: 'input.admitted', inputId, turnId, content, ...extras })
  const decision = { events, secrets: changes.secrets, turnId }
  if (mustWait) return { ...decision, firstEvent: events.length - 1, queued: true }

  const firstEvent = events.length
  const next = changes.event ? { ...state, settings: mergeSettings(state.settings, changes.event.settings) } : state
  if (state.queue.length > 0 && command.whenRunning === 'queue') {
    events.push(...nextQueuedTurn(next, context))
    return { ...decision, firstEvent: firstEvent - 1, queued: true }
  }
  events.push(...startTurn({ turnId, inputId, ...(settings && { settings }) }, next, { ...context, head: state.head }))
  return { ...decision, firstEvent, queued: false }
}

/** Nothing if the input does not wait any more, or says this already. */
export function decideChangeInput(state: SessionState, { inputId, text, via }: ChangeInput): readonly RecordedEvent[] {
  const input = state.queue.find((queued) => queued.inputId === inputId)
  if (input === undefined) return []
  const content = reworded(input.content, text)
  return [{ type: 'input.changed', inputId, content, ...(via !== undefined && { via }) }]
}

/** Images and files stay where they are. */
function reworded(content: UserContent, text: string): UserContent {
  if (typeof content === 'string') return text
  const others = content.filter((part) => part.type !== 'text')
  return text === '' ? others : [{ type: 'text', text }, ...others]
}

/** A running turn gets a cancel request and ends itself. A waiting turn has no runner, so it ends here. */
export function decideCancel(
  state: SessionState,
  command: CancelTurn,
  context: Pick<DecideContext, 'recovery'>,
): Decision {
  const { turn } = state
  const dropped: RecordedEvent[] = command.dropQueue
    ? state.queue.map(({ inputId }) => ({ type: 'input.dropped', inputId, reason: command.reason }))
    : []
  const queued = state.queue.find(({ turnId }) => turnId === command.turnId)
  if (queued !== undefined) {
    const { inputId } = queued
    return { events: command.dropQueue ? dropped : [{ type: 'input.dropped', inputId, reason: command.reason }] }
  }
  const isMeant = turn !== undefined && (command.turnId === undefined || command.turnId === turn.turnId)
  if (!isMeant || turn.cancelled !== undefined) return { events: dropped }
  if (turn.status === 'running') {
    return { events: [...dropped, { type: 'turn.cancel-requested', turnId: turn.turnId, reason: command.reason }] }
  }
  const ended = endTurn(turn, { outcome: 'cancelled', openCalls: CANCELLED })
  return { events: [...dropped, ...ended, ...(command.dropQueue ? [] : nextQueuedTurn(state, context))] }
}

// What reached the engine from outside, read from its log: commands of people, answers of models, results of tools.
import type { UserContent } from '../content.ts'
import type { Recorded, RecordedEvent } from '../events/recorded-event.ts'
import type { CallAnswer, Command } from '../session/command.ts'
import type { SessionId, UserId } from '../ids.ts'
import type { ModelOutput } from '../ports/model.ts'
import type { IdPairs } from './same-event.ts'

export type Cause =
  | { readonly type: 'command'; readonly command: Command }
  /** The event is copied: it records a setting, not a decision of the engine. */
  | { readonly type: 'taken'; readonly recorded: Recorded }
  /** A model or a tool has answered. */
  | { readonly type: 'answer'; readonly seq: number }
  /** The process ended here; the order of the events around it is unknown. */
  | { readonly type: 'process' }

export interface Session {
  readonly sessionId: SessionId
  readonly userId: UserId
}

/** Why the event at `seq` came; `undefined`: the engine made it by itself. Events of one append have one cause. */
export function findCause(
  log: readonly Recorded[],
  seq: number,
  session: Session & { ids: IdPairs },
): Cause | undefined {
  const first = log[seq - 1]
  if (first === undefined) return undefined
  const end = log.findIndex((recorded, index) => index >= seq && recorded.at !== first.at)
  const together = log.slice(seq - 1, end === -1 ? log.length : end)
  for (const recorded of together) {
    const cause = causeOf(recorded, together, session)
    if (cause === undefined) continue
    return recorded === first || cause.type === 'command' ? cause : undefined
  }
  return isCancelledWaiting(first.event) ? cancel(session, '', together) : undefined
}

function causeOf(
  recorded: Recorded,
  together: readonly Recorded[],
  session: Session & { ids: IdPairs },
): Cause | undefined {
  const { event, seq } = recorded
  const { ids, sessionId, userId } = session
  switch (event.type) {
    case 'session.configured':
    case 'session.forked':
    case 'session.fork-deleted':
      return { type: 'taken', recorded }
    case 'turn.taken-over':
    case 'turn.handed-over':
      return { type: 'process' }
    case 'input.admitted': {
      const { content, settings, given } = event
      const more = { ...(settings && { settings }), ...(given && { given }) }
      const start = { type: 'start-turn', userId, sessionId, content, whenRunning: 'queue', ...more } as const
      return { type: 'command', command: start }
    }
    case 'input.changed': {
      const inputId = ids.today(event.inputId) as typeof event.inputId
      const change = { type: 'change-input', userId, sessionId, inputId, text: textIn(event.content) } as const
      return { type: 'command', command: change }
    }
    case 'approval.resolved':
      return answers(together, session)
    case 'approval.requested':
      return event.failed === undefined ? undefined : { type: 'answer', seq }
    case 'tool-call.settled':
      if (event.by === 'client') return answers(together, session)
      return event.by === 'tool' ? { type: 'answer', seq } : undefined
    case 'turn.cancel-requested':
      return cancel(session, event.reason, together)
    case 'tool-call.cancel-requested': {
      const toolCallId = ids.today(event.toolCallId) as typeof event.toolCallId
      return { type: 'command', command: { type: 'cancel-call', userId, sessionId, toolCallId, reason: event.reason } }
    }
    case 'compaction.requested':
      return { type: 'command', command: { type: 'compact-session', userId, sessionId } }
    case 'step.answered':
      return event.by === 'engine' ? undefined : { type: 'answer', seq }
    case 'step.ended':
      return event.outcome === 'failed' ? { type: 'answer', seq } : undefined
    case 'compaction.ended':
      return { type: 'answer', seq }
    default:
      return undefined
  }
}

const textIn = (content: UserContent): string =>
  typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('')

function answers(together: readonly Recorded[], { ids, sessionId, userId }: Session & { ids: IdPairs }): Cause {
  const given = together.flatMap(({ event }): CallAnswer[] => {
    if (event.type === 'approval.resolved') {
      const { granted, reason, scope, offer, answer } = event
      const more = { ...(reason !== undefined && { reason }), ...(scope && { scope }), ...(answer && { answer }) }
      const toolCallId = ids.today(event.toolCallId) as typeof event.toolCallId
      return [{ type: 'approval', toolCallId, granted, ...more, ...(offer !== undefined && { offer }) }]
    }
    if (event.type !== 'tool-call.settled' || event.by !== 'client') return []
    const toolCallId = ids.today(event.toolCallId) as typeof event.toolCallId
    return [{ type: 'result', toolCallId, content: event.output, ...(event.answer && { answer: event.answer }) }]
  })
  const command = { type: 'answer-calls', userId, sessionId, answers: given, whenRunning: 'accept' } as const
  return { type: 'command', command }
}

function cancel({ sessionId, userId }: Session, reason: string, together: readonly Recorded[]): Cause {
  const dropQueue = together.some(({ event }) => event.type === 'input.dropped')
  return { type: 'command', command: { type: 'cancel-turn', userId, sessionId, reason, dropQueue } }
}

/** A turn that waits ends with its cancel, without a request before. */
const isCancelledWaiting = (event: RecordedEvent): boolean =>
  event.type === 'input.dropped' ||
  (event.type === 'tool-call.settled' && event.status === 'cancelled' && event.isSuperseded !== true)

/** The event that ends the step or compaction that began at `seq`, and its place. */
export function findEnd(log: readonly Recorded[], seq: number): Recorded | undefined {
  const begun = log[seq - 1]?.event
  return log.slice(seq).find(({ event }) => {
    if (begun?.type === 'compaction.started')
      return event.type === 'compaction.ended' && event.compactionId === begun.compactionId
    const isEnd = event.type === 'step.answered' || event.type === 'step.ended'
    return begun?.type === 'step.started' && isEnd && event.stepId === begun.stepId
  })
}

/** What a model must have said for this event, where its exchange was not kept. */
export function toOutputs(event: RecordedEvent): readonly ModelOutput[] {
  switch (event.type) {
    case 'step.answered':
      return [...blocksToOutputs(event.blocks), { type: 'finished', finish: event.finish, usage: event.usage }]
    case 'step.ended': {
      const { partial = [], error, usage } = event
      const failed: ModelOutput[] = error ? [{ type: 'failed', error, ...(usage && { usage }) }] : []
      return [...blocksToOutputs(partial), ...failed]
    }
    case 'compaction.ended': {
      const { summary, usage = { inputTokens: 0, outputTokens: 0 }, error } = event
      if (summary === undefined && error) return [{ type: 'failed', error }]
      return [
        { type: 'text', text: summary ?? '' },
        { type: 'finished', finish: 'stop', usage },
      ]
    }
    default:
      return []
  }
}

function blocksToOutputs(blocks: (RecordedEvent & { type: 'step.answered' })['blocks']): readonly ModelOutput[] {
  return blocks.flatMap((block): ModelOutput[] => {
    if (block.type === 'text') return [{ type: 'text', text: block.text }]
    if (block.type === 'thinking') {
      const opaque: ModelOutput[] = block.opaque ? [{ type: 'opaque', data: block.opaque }] : []
      return [...(block.text === '' ? [] : [{ type: 'thinking' as const, text: block.text }]), ...opaque]
    }
    const { toolCallId: id, name, input, opaque } = block
    return [{ type: 'tool-call', id, name, input, ...(opaque && { opaque }) }]
  })
}

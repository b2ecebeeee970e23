import type { AssistantContent, AssistantPart, ConversationMessage } from '../content.ts'
import { EngineError } from '../errors.ts'
import { createSettings } from '../events/session-settings.ts'
import type { Recorded, RecordedEvent } from '../events/recorded-event.ts'
import type { EntryId, SessionId, TurnId } from '../ids.ts'
import { evolve } from '../state/evolve.ts'
import type { SessionState } from '../state/session-state.ts'
import type { ForkSession } from './command.ts'
import type { Decision } from './decision.ts'

/** The file access of a session looks at each ancestor, so the line is short. */
const MOST_ANCESTORS = 64
/** Every list of sessions names the forks of each. */
const MOST_FORKS = 500
const FORK_MARK = / \(fork(?: \d+)?\)$/

export interface ForkDecision extends Decision {
  readonly turnId?: TurnId
  /** The blobs that the copied events refer to. */
  readonly blobHashes: readonly string[]
}

/** The log of a new session: the parent's, up to the end of a turn, with the parent's settings of now. */
export function decideFork(
  childId: SessionId,
  command: ForkSession,
  parent: { readonly state: SessionState; readonly log: readonly Recorded[] },
): ForkDecision {
  const { state, log } = parent
  const ancestors = [...(state.origin?.ancestors ?? []), state.sessionId]
  if (ancestors.length > MOST_ANCESTORS) {
    throw new EngineError('invalid-input', `a session can have at most ${MOST_ANCESTORS} ancestors`, 'sessionId')
  }
  if ((state.forks?.length ?? 0) >= MOST_FORKS) {
    throw new EngineError('invalid-input', `a session can have at most ${MOST_FORKS} forks; delete some`, 'sessionId')
  }
  const cut = findCut(command, log)
  const copied = copyLog(log.slice(0, cut))
  const turnId = copied.findLast((event) => event.type === 'turn.ended')?.turnId
  const events: RecordedEvent[] = [
    {
      type: 'session.created',
      sessionId: childId,
      userId: state.userId,
      agent: state.agent,
      settings: settingsOf(command, state),
      origin: { ancestors, ...(turnId && { turnId }), throughSeq: copied.length + 1 },
      ...(command.via !== undefined && { via: command.via }),
    },
    ...copied,
  ]
  if (state.settings.preset === 'plan') events.push({ type: 'session.configured', settings: { preset: 'plan' } })
  return { events, names: callsOf(copied), blobHashes: blobsOf(copied), ...(turnId && { turnId }) }
}

/** Planning starts with an event of its own, so that the preset before it is known. */
function settingsOf(
  { title, directories, labels }: ForkSession,
  { settings, presetBeforePlan, forks = [] }: SessionState,
) {
  const preset = settings.preset === 'plan' ? (presetBeforePlan ?? 'workspace-write') : settings.preset
  const named = title ?? (settings.title && forkTitle(settings.title, forks.length + 1))
  return createSettings({
    ...settings,
    preset,
    isPinned: false,
    isShared: false,
    ...(named !== undefined && { title: named }),
    ...(directories && { directories }),
    labels: { ...settings.labels, ...labels },
  })
}

const forkTitle = (title: string, count: number): string =>
  `${title.replace(FORK_MARK, '')} (fork${count > 1 ? ` ${count}` : ''})`

/** The length of the part that is copied. */
function findCut({ turnId, beforeInput }: ForkSession, log: readonly Recorded[]): number {
  if (turnId !== undefined) return endOf(turnId, log)
  return beforeInput === undefined ? lastRest(log) : startOf(beforeInput, log)
}

/** The length of the log when nothing was running for the last time. Queued inputs do not count. */
function lastRest(log: readonly Recorded[]): number {
  let state: SessionState | undefined
  let rest = 0
  for (const [index, recorded] of log.entries()) {
    state = evolve(state, recorded)
    if (state.turn === undefined && state.compaction === undefined && state.seededCalls.length === 0) rest = index + 1
  }
  return rest
}

function endOf(turnId: TurnId, log: readonly Recorded[]): number {
  const index = log.findIndex(({ event }) => event.type === 'turn.ended' && event.turnId === turnId)
  if (index !== -1) return index + 1
  throw new EngineError('invalid-input', `the session has no turn ${turnId} that has ended`, 'turnId')
}

function startOf(inputId: EntryId, log: readonly Recorded[]): number {
  const index = log.findIndex(({ event }) => event.type === 'turn.started' && event.inputId === inputId)
  if (index !== -1) return index
  throw new EngineError('invalid-input', `the session has no input ${inputId} that has started`, 'beforeInput')
}

/** Leaves out inputs whose turn did not start, and what belongs to the parent: its settings and its forks. */
function copyLog(log: readonly Recorded[]): readonly RecordedEvent[] {
  const started = new Set(log.flatMap(({ event }) => (event.type === 'turn.started' ? [event.inputId] : [])))
  const compacted = new Set(log.flatMap(({ event }) => (event.type === 'compaction.ended' ? [event.compactionId] : [])))
  const copied: RecordedEvent[] = []
  /** The seq in the copy of the last copied event at or before each seq of the parent. */
  const seqs = new Map<number, number>()
  for (const { seq, event } of log) {
    if (isCopied(event)) copied.push(event.type === 'compaction.ended' ? movedCompaction(event, seqs) : event)
    seqs.set(seq, copied.length + 1)
  }
  return copied

  function isCopied(event: RecordedEvent): boolean {
    switch (event.type) {
      case 'session.created':
      case 'session.configured':
      case 'session.forked':
      case 'session.fork-deleted':
      case 'input.dropped':
      case 'compaction.requested':
        return false
      case 'input.admitted':
      case 'input.changed':
        return started.has(event.inputId)
      case 'compaction.started':
        return compacted.has(event.compactionId)
      default:
        return true
    }
  }
}

function movedCompaction<Ended extends RecordedEvent & { readonly type: 'compaction.ended' }>(
  event: Ended,
  seqs: ReadonlyMap<number, number>,
): Ended {
  if (event.throughSeq === undefined) return event
  return { ...event, throughSeq: seqs.get(event.throughSeq) ?? 1 }
}

function callsOf(events: readonly RecordedEvent[]): readonly string[] {
  const names = events.flatMap((event): readonly AssistantPart[] => {
    if (event.type === 'step.answered') return event.blocks
    return event.type === 'session.seeded' ? event.messages.flatMap(messageParts) : []
  })
  return [...new Set(names.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])))]
}

function blobsOf(events: readonly RecordedEvent[]): readonly string[] {
  const parts = events.flatMap((event): readonly AssistantPart[] => {
    if (event.type === 'input.admitted' || event.type === 'input.changed') return partsOf(event.content)
    if (event.type === 'tool-call.settled') return partsOf(event.output)
    return event.type === 'session.seeded' ? event.messages.flatMap(messageParts) : []
  })
  const images = parts.filter((part) => part.type === 'image')
  return [...new Set(images.flatMap(({ source }) => (source.type === 'blob' ? [source.hash] : [])))]
}

const messageParts = (message: ConversationMessage): readonly AssistantPart[] =>
  message.role === 'system' ? [] : partsOf(message.content)

const partsOf = (content: AssistantContent): readonly AssistantPart[] => (typeof content === 'string' ? [] : content)

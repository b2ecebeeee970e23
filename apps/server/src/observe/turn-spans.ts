import type { AppendRequest, EntryId, RecordedEvent, SessionId, ToolCallId, TurnId } from '@polylogue/engine'
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api'
import { traceOf } from './trace-ids.ts'

/** Makes spans of what is recorded. A turn that moves to another node has a span on each, in the same trace. */
export interface TurnSpans {
  appended(request: AppendRequest, seconds: number): void
  /** The session is gone, or another node runs it. */
  ended(sessionId: SessionId): void
}

interface OpenTurn {
  readonly turnId: TurnId
  readonly span: Span
  readonly context: Context
  readonly steps: Map<EntryId, Span>
  readonly calls: Map<ToolCallId, Span>
  /** The names of the tools that the steps have asked for. */
  readonly toolNames: Map<ToolCallId, string>
}

export function createTurnSpans(tracer: Tracer): TurnSpans {
  const turns = new Map<SessionId, OpenTurn>()

  const begin = (sessionId: SessionId, turnId: TurnId, at: number): void => {
    if (turns.get(sessionId)?.turnId === turnId) return
    end(sessionId, at)
    const parent = contextOf(turnId)
    const attributes = { 'polylogue.session_id': sessionId, 'polylogue.turn_id': turnId }
    const span = tracer.startSpan('polylogue.turn', { startTime: at, attributes, kind: SpanKind.CONSUMER }, parent)
    const context = trace.setSpan(parent, span)
    turns.set(sessionId, { turnId, span, context, steps: new Map(), calls: new Map(), toolNames: new Map() })
  }

  const end = (sessionId: SessionId, at: number, error?: string): void => {
    const turn = turns.get(sessionId)
    if (turn === undefined) return
    turns.delete(sessionId)
    for (const span of [...turn.calls.values(), ...turn.steps.values()]) span.end(at)
    endSpan(turn.span, at, error)
  }

  const tell = (sessionId: SessionId, event: RecordedEvent, at: number): void => {
    switch (event.type) {
      case 'turn.started':
      case 'turn.resumed':
      case 'turn.taken-over':
        break
      case 'turn.paused':
      case 'turn.handed-over':
        turns.get(sessionId)?.span.addEvent(event.type, at)
        end(sessionId, at)
        break
      case 'turn.ended':
        turns.get(sessionId)?.span.setAttribute('polylogue.outcome', event.outcome)
        end(sessionId, at, event.outcome === 'failed' ? event.error?.code : undefined)
        break
      default: {
        const turn = turns.get(sessionId)
        if (turn !== undefined) tellTurn(turn, event, at)
      }
    }
  }

  const tellTurn = (turn: OpenTurn, event: RecordedEvent, at: number): void => {
    switch (event.type) {
      case 'step.started': {
        const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': event.model }
        const options = { startTime: at, attributes, kind: SpanKind.CLIENT }
        turn.steps.set(event.stepId, tracer.startSpan('polylogue.step', options, turn.context))
        break
      }
      case 'step.answered':
        for (const block of event.blocks)
          if (block.type === 'tool-call') turn.toolNames.set(block.toolCallId, block.name)
        turn.steps.get(event.stepId)?.setAttributes({
          'gen_ai.usage.input_tokens': event.usage.inputTokens,
          'gen_ai.usage.output_tokens': event.usage.outputTokens,
          'polylogue.finish': event.finish,
        })
        endSpan(take(turn.steps, event.stepId), at)
        break
      case 'step.ended':
        endSpan(take(turn.steps, event.stepId), at, event.error?.code)
        break
      case 'tool-call.started': {
        const name = turn.toolNames.get(event.toolCallId) ?? 'unknown'
        const attributes = { 'gen_ai.tool.name': name, 'gen_ai.tool.call.id': event.toolCallId }
        turn.calls.set(
          event.toolCallId,
          tracer.startSpan('polylogue.tool', { startTime: at, attributes }, turn.context),
        )
        break
      }
      case 'tool-call.settled':
        turn.calls.get(event.toolCallId)?.setAttribute('polylogue.status', event.status)
        endSpan(take(turn.calls, event.toolCallId), at, event.status === 'failed' ? event.status : undefined)
        break
      default:
    }
  }

  return {
    appended({ sessionId, at, events, wanted, claim, fence }, seconds) {
      const before = turns.get(sessionId)
      const isByRunner = claim !== undefined || fence !== undefined
      for (const event of events) {
        // A turn that this process starts may run in another.
        if (isByRunner && isOfRunningTurn(event)) begin(sessionId, event.turnId, at)
        tell(sessionId, event, at)
      }
      const context = (turns.get(sessionId) ?? before)?.context ?? startedIn(events)
      if (context === undefined) return
      const now = Date.now()
      const attributes = { 'polylogue.events': events.length, 'polylogue.wanted': wanted }
      tracer.startSpan('polylogue.store.append', { startTime: now - seconds * 1000, attributes }, context).end(now)
    },
    ended: (sessionId) => end(sessionId, Date.now()),
  }
}

/** A node may first hear of a turn by one of its steps: what went before was recorded by others. */
function isOfRunningTurn(event: RecordedEvent): event is Extract<RecordedEvent, { readonly type: RunningType }> {
  return RUNNING.has(event.type)
}

type RunningType = 'turn.started' | 'turn.resumed' | 'turn.taken-over' | 'step.started' | 'tool-call.started'
const RUNNING: ReadonlySet<string> = new Set<RunningType>([
  ...(['turn.started', 'turn.resumed', 'turn.taken-over', 'step.started', 'tool-call.started'] as const),
])

/** The trace of a turn that an append has started, and that runs elsewhere or a moment later. */
function startedIn(events: readonly RecordedEvent[]): Context | undefined {
  const started = events.find(({ type }) => type === 'turn.started' || type === 'turn.resumed')
  return started !== undefined && isOfRunningTurn(started) ? contextOf(started.turnId) : undefined
}

function take<Id>(spans: Map<Id, Span>, id: Id): Span | undefined {
  const span = spans.get(id)
  spans.delete(id)
  return span
}

function endSpan(span: Span | undefined, at: number, error?: string): void {
  if (error !== undefined) span?.setStatus({ code: SpanStatusCode.ERROR, message: error })
  span?.end(at)
}

/** The context that all spans of a turn share, on whichever node they are made. */
export function contextOf(turnId: string): Context {
  return trace.setSpanContext(ROOT_CONTEXT, { ...traceOf(turnId), traceFlags: TraceFlags.SAMPLED, isRemote: true })
}

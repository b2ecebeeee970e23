import type { AppendRequest, SessionId } from '@polylogue/engine'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { RequestObserver } from '../http/request-listener.ts'
import { readVersion } from '../version.ts'

/** Spans of turns, steps, tools, commits and requests. Exists only where the process registered an OpenTelemetry SDK. */
export interface Tracing {
  appended(request: AppendRequest, seconds: number): void
  /** The session is gone, or another node runs it. */
  ended(sessionId: SessionId): void
  /** The same listener. What it appends is seen as part of its request. */
  follow(listener: RequestListener): RequestListener
  readonly requestEnded: RequestObserver
  /** The trace of a request: that of its caller, else that of the turn that it started. */
  traceIdOf(incoming: IncomingMessage): string | undefined
}

/** Where every copy of the package `@opentelemetry/api` finds what an SDK registered. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1')

/** The package is loaded only if an SDK is there to use it: it costs time at every start. */
export async function findTracing(): Promise<Tracing | undefined> {
  const registered: unknown = Reflect.get(globalThis, REGISTERED)
  if (typeof registered !== 'object' || registered === null || !('trace' in registered)) return undefined
  const [{ ROOT_CONTEXT, SpanKind, trace }, { contextOf, createTurnSpans }, { parseTraceparent, traceOf }] =
    await Promise.all([import('@opentelemetry/api'), import('./turn-spans.ts'), import('./trace-ids.ts')])
  const tracer = trace.getTracer('polylogue', readVersion())
  const spans = createTurnSpans(tracer)
  const current = new AsyncLocalStorage<IncomingMessage>()
  /** The turn that each request started or resumed. */
  const turnsOf = new WeakMap<IncomingMessage, string>()
  const callerOf = ({ headers: { traceparent } }: IncomingMessage) =>
    parseTraceparent(typeof traceparent === 'string' ? traceparent : undefined)
  return {
    appended(request, seconds) {
      const incoming = current.getStore()
      for (const event of request.events) {
        if (incoming && (event.type === 'turn.started' || event.type === 'turn.resumed'))
          turnsOf.set(incoming, event.turnId)
      }
      spans.appended(request, seconds)
    },
    ended: (sessionId) => spans.ended(sessionId),
    follow: (listener) => (incoming, outgoing) => current.run(incoming, () => listener(incoming, outgoing)),
    traceIdOf(incoming) {
      const turnId = turnsOf.get(incoming)
      return callerOf(incoming)?.traceId ?? (turnId === undefined ? undefined : traceOf(turnId).traceId)
    },
    requestEnded({ route = 'unmatched', startedAt }, incoming, outgoing) {
      const caller = callerOf(incoming)
      const turnId = turnsOf.get(incoming)
      const turn = turnId === undefined ? undefined : contextOf(turnId)
      const parent =
        caller === undefined
          ? (turn ?? ROOT_CONTEXT)
          : trace.setSpanContext(ROOT_CONTEXT, { ...caller, traceFlags: caller.flags, isRemote: true })
      const turnContext = turn && trace.getSpanContext(turn)
      const now = Date.now()
      const method = incoming.method ?? ''
      const attributes = {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': outgoing.statusCode,
        ...(turnId !== undefined && { 'polylogue.turn_id': turnId }),
      }
      const startTime = now - (performance.now() - startedAt)
      const links = caller !== undefined && turnContext !== undefined ? [{ context: turnContext }] : []
      tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, startTime, attributes, links }, parent).end(now)
    },
  }
}

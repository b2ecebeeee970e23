import type { AppendRequest, SessionId } from '@polylogue/engine'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { FollowMessage } from '@polylogue/kit'
import type { RequestObserver } from '../http/request-listener.ts'
import { readVersion } from '../version.ts'

/** Spans of turns, steps, tools, commits, requests and messages. Exists only where the process registered an OpenTelemetry SDK. */
export interface Tracing {
  appended(request: AppendRequest, seconds: number): void
  /** The session is gone, or another node runs it. */
  ended(sessionId: SessionId): void
  /** The same listener. What it appends is seen as part of its request. */
  follow(listener: RequestListener): RequestListener
  /** For the messages of a door's connections. A span lasts until its message is answered. */
  followMessages(door: string): FollowMessage
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
  const [
    { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace },
    { contextOf, createTurnSpans },
    { parseTraceparent, traceOf },
  ] = await Promise.all([import('@opentelemetry/api'), import('./turn-spans.ts'), import('./trace-ids.ts')])
  const tracer = trace.getTracer('polylogue', readVersion())
  const spans = createTurnSpans(tracer)
  const current = new AsyncLocalStorage<object>()
  /** The turn that each request or message started or resumed. */
  const turnsOf = new WeakMap<object, string>()
  const callerOf = ({ headers: { traceparent } }: IncomingMessage) =>
    parseTraceparent(typeof traceparent === 'string' ? traceparent : undefined)
  return {
    appended(request, seconds) {
      const cause = current.getStore()
      for (const event of request.events) {
        if (cause && (event.type === 'turn.started' || event.type === 'turn.resumed')) turnsOf.set(cause, event.turnId)
      }
      spans.appended(request, seconds)
    },
    ended: (sessionId) => spans.ended(sessionId),
    follow: (listener) => (incoming, outgoing) => current.run(incoming, () => listener(incoming, outgoing)),
    followMessages: (door) => async (name, work) => {
      const message = {}
      const startTime = Date.now()
      const end = (code: (typeof SpanStatusCode)['UNSET' | 'ERROR']): void => {
        const turnId = turnsOf.get(message)
        const attributes = {
          'rpc.system': door,
          'rpc.method': name,
          ...(turnId !== undefined && { 'polylogue.turn_id': turnId }),
        }
        const parent = turnId === undefined ? ROOT_CONTEXT : contextOf(turnId)
        const span = tracer.startSpan(`${door} ${name}`, { kind: SpanKind.SERVER, startTime, attributes }, parent)
        span.setStatus({ code }).end()
      }
      try {
        const result = await current.run(message, work)
        end(SpanStatusCode.UNSET)
        return result
      } catch (error) {
        end(SpanStatusCode.ERROR)
        throw error
      }
    },
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

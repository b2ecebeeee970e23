import type { ClientAddress } from '../http/client-address.ts'
import type { ObservedAnswer, RequestObserver } from '../http/request-listener.ts'
import type { LogFields } from '../log/log-fields.ts'
import type { Log } from '../log/log.ts'
import type { Count } from '../metrics/metric.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import { sampleLines } from './sample-lines.ts'
import type { Tracing } from './tracing.ts'

export interface RequestObserverDeps {
  readonly log: Log
  readonly metrics: Pick<ServerMetrics, 'requests'>
  readonly addressOf: ClientAddress
  readonly tracing?: Pick<Tracing, 'traceIdOf'>
}

/** Probes and files of the page are frequent and rarely interesting. */
const QUIET = /^\/(?:healthz|readyz|metrics|assets\/.*|icon\.svg)$/
/** nginx's status for a client that left before the answer. */
const LEFT = 499

/** One count for every request, and one line unless there are too many. Requests that went wrong always have a line. */
export function createRequestObserver({ log, metrics, addressOf, tracing }: RequestObserverDeps): RequestObserver {
  const sample = sampleLines(log)
  /** By route, then by method and status. */
  const counts = new Map<string, Map<string, Map<number, Count>>>()
  const countOf = (method: string, route: string, status: number): Count => {
    const ofRoute = counts.get(route) ?? new Map<string, Map<number, Count>>()
    const ofMethod = ofRoute.get(method) ?? new Map<number, Count>()
    const known = ofMethod.get(status)
    if (known !== undefined) return known
    const made = metrics.requests.of({ method, route, status: String(status) })
    counts.set(route, ofRoute.set(method, ofMethod.set(status, made)))
    return made
  }
  const fieldsOf = (...[trail, incoming, outgoing]: Parameters<RequestObserver>): LogFields => {
    const { id, route, caller, startedAt } = trail
    const status = statusOf(outgoing)
    const traceId = tracing?.traceIdOf(incoming)
    return {
      id,
      method: incoming.method ?? '',
      route: route ?? UNMATCHED,
      status,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      ...(caller && { key: caller.keyId, user: caller.userId }),
      ...(isCut(outgoing) && { cut: true }),
      ...(traceId !== undefined && { traceId }),
      ...(isRefusal(status) && { from: addressOf(incoming) }),
    }
  }
  return (trail, incoming, outgoing) => {
    const { route = UNMATCHED } = trail
    const status = statusOf(outgoing)
    countOf(incoming.method ?? '', route, status).add()
    const fields = (): LogFields => fieldsOf(trail, incoming, outgoing)
    if (QUIET.test(route)) log.debug(fields(), 'request')
    else if (status >= 400 || isCut(outgoing)) log.info(fields(), 'request')
    else sample.info(fields, 'request')
  }
}

const UNMATCHED = 'unmatched'

const statusOf = ({ headersSent, statusCode }: ObservedAnswer): number => (headersSent ? statusCode : LEFT)

const isCut = ({ headersSent, writableFinished }: ObservedAnswer): boolean => headersSent && !writableFinished

/** Log the address of refused requests. */
function isRefusal(status: number): boolean {
  return status === 401 || status === 403 || status === 429
}

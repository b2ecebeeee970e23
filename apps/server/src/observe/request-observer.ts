import type { ClientAddress } from '../http/client-address.ts'
import type { RequestObserver } from '../http/request-listener.ts'
import type { Log } from '../log/log.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import { sampleLines } from './sample-lines.ts'

export interface RequestObserverDeps {
  readonly log: Log
  readonly metrics: Pick<ServerMetrics, 'requests'>
  readonly addressOf: ClientAddress
}

/** Probes and files of the page are frequent and rarely interesting. */
const QUIET = /^\/(?:healthz|readyz|metrics|assets\/.*|icon\.svg)$/
/** nginx's status for a client that left before the answer. */
const LEFT = 499

/** One count for every request, and one line unless there are too many. Requests that went wrong always have a line. */
export function createRequestObserver({ log, metrics, addressOf }: RequestObserverDeps): RequestObserver {
  const sample = sampleLines(log)
  return (trail, incoming, outgoing) => {
    const { id, route = 'unmatched', caller, startedAt } = trail
    const status = outgoing.headersSent ? outgoing.statusCode : LEFT
    const method = incoming.method ?? ''
    metrics.requests.add({ method, route, status: String(status) })
    const fields = {
      id,
      method,
      route,
      status,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      ...(caller && { key: caller.keyId, user: caller.userId }),
      ...(outgoing.headersSent && !outgoing.writableFinished && { cut: true }),
      ...(isRefusal(status) && { from: addressOf(incoming) }),
    }
    if (QUIET.test(route)) log.debug(fields, 'request')
    else if (status >= 400 || fields.cut === true) log.info(fields, 'request')
    else sample.info(fields, 'request')
  }
}

/** Log the address of refused requests. */
function isRefusal(status: number): boolean {
  return status === 401 || status === 403 || status === 429
}

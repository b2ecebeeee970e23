import type { LogFields } from '../log/log-fields.ts'
import type { Log } from '../log/log.ts'
import { traceOf } from './trace-ids.ts'

/** The same log. Lines about a turn also name its trace. */
export function addTraceIds(log: Log): Log {
  const add = (fields: LogFields): LogFields => {
    const { turnId } = fields
    return typeof turnId === 'string' ? { ...fields, traceId: traceOf(turnId).traceId } : fields
  }
  return {
    debug: (fields, message) => log.debug(add(fields), message),
    info: (fields, message) => log.info(add(fields), message),
    warn: (fields, message) => log.warn(add(fields), message),
    error: (fields, message) => log.error(add(fields), message),
    close: () => log.close(),
  }
}

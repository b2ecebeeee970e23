import { StorageFault } from '@polylogue/engine'

/** Ends every message about a damaged database. */
export const REPAIR_HINT = 'Stop the server, keep a copy of the data directory and restore a backup.'

/** `what` is a whole sentence for the operator. */
export function damaged(what: string, cause?: unknown): StorageFault {
  return new StorageFault('broken', `${what} ${REPAIR_HINT}`, { cause })
}

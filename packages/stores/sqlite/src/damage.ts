import { StorageFault } from '@polylogue/engine'

/** The end of every sentence about a database that lost something. */
export const REPAIR_HINT = 'Stop the server, keep a copy of the data directory and restore a backup.'

/** `what` is a whole sentence, for whoever runs the server. */
export function damaged(what: string, cause?: unknown): StorageFault {
  return new StorageFault('broken', `${what} ${REPAIR_HINT}`, { cause })
}

import { acquireOwnerLock, type OwnerLock } from '@polylogue/store-sqlite'
import { EXIT_FAILURE, ServeError } from '../serve-error.ts'

/** `undefined` when another process, or this one, holds it. */
export function tryLock(file: string): OwnerLock | undefined {
  try {
    return acquireOwnerLock(file)
  } catch (error) {
    // The store says in one sentence why a file cannot be locked.
    throw error instanceof Error ? new ServeError(error.message, EXIT_FAILURE, { cause: error }) : error
  }
}

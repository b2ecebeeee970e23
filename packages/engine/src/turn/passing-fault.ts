import { StorageFault } from '../ports/event-store.ts'

/** A fault that the runner waits out. What is broken stays broken: waiting would leave the turn running for ever. */
export const isPassing = (error: unknown): error is StorageFault =>
  error instanceof StorageFault && error.kind !== 'broken'

export interface WatchedReads<T> {
  readonly request: T
  /** Throws the fault that a read met. Whoever asked may have gone on without what it could not read. */
  check(): void
}

/** Notices faults that the reader of a request does not pass on. */
export function watchReads<T extends { readBlob(hash: string): Promise<Uint8Array> }>(request: T): WatchedReads<T> {
  let fault: StorageFault | undefined
  return {
    request: {
      ...request,
      readBlob: async (hash) => {
        try {
          return await request.readBlob(hash)
        } catch (error) {
          if (isPassing(error)) fault = error
          throw error
        }
      },
    },
    check() {
      if (fault !== undefined) throw fault
    },
  }
}

import type { SessionId } from '../ids.ts'

/**
 * Hands sessions that need a runner to a process that has room for them. A job is a hint: it may be lost, doubled or late.
 * Whether a session needs a runner, and who runs it, only the store says.
 */
export interface Dispatcher {
  /** Asks for a runner. Never throws: sessions without a runner are also found by looking at the store. */
  send(sessionId: SessionId): void
  /** Begins to take jobs. Rejects if the storage fails. */
  start(worker: DispatchWorker): Promise<void>
  /** Takes no more jobs. Jobs can still be sent until it is closed. Idempotent. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** Why a job was not sent or taken. No turn is lost by it. */
export interface JobProblem {
  readonly message: string
  readonly sessionId?: SessionId
  readonly error: unknown
}

export interface DispatchWorker {
  /** How many more sessions this process can run now. */
  room(): number
  /** Runs the session, unless it needs no runner or has one. Resolves when that is decided. A job that rejects is repeated. */
  take(sessionId: SessionId): Promise<void>
  /** Called after too many failures, on any process. */
  giveUp(sessionId: SessionId): Promise<void>
}

import { spellOut } from './spell-out.ts'

/** A refused command. Doors map `code` to their wire in one exhaustive switch. Never used for bugs or crashes. */
export class EngineError extends Error {
  readonly code: EngineErrorCode
  /** The invalid part of the request in engine words (`input.content`, `answers[0]`), if there is one. */
  readonly field: string | undefined

  constructor(code: EngineErrorCode, message: string, field?: string) {
    super(spellOut(message))
    this.name = 'EngineError'
    this.code = code
    this.field = field
  }
}

export type EngineErrorCode =
  | 'session-not-found'
  | 'agent-not-found'
  | 'session-busy'
  | 'nothing-to-compact'
  | 'queue-full'
  | 'unknown-tool-call'
  | 'call-already-settled'
  | 'call-not-approvable'
  | 'unknown-tool'
  | 'tool-name-clash'
  | 'invalid-option'
  | 'unknown-model'
  | 'invalid-seed'
  | 'invalid-input'
  | 'receipt-mismatch'
  /** Never thrown by the engine itself: the server in front of it limits each user. */
  | 'too-many-turns'
  | 'too-many-reads'
  /** The session or its user has reached the storage limit of the configuration. */
  | 'quota-exceeded'
  | 'shutting-down'
  | 'storage-full'
  | 'storage-busy'
  | 'storage-unavailable'

/** For the default branch of a switch over a closed union: the compiler finds the forgotten case. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`)
}

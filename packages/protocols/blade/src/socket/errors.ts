import { EngineError, StorageFault, spellOut, type EngineErrorCode } from '@polylogue/engine'

export type RefusalCode =
  | 'unauthorized'
  | 'session_not_found'
  | 'forbidden'
  | 'invalid_payload'
  | 'no_pending_question'
  | 'answer_incomplete'
  | 'queue_full'
  | 'session_busy'
  | 'nothing_to_compact'
  | 'compaction_failed'
  | 'too_many_turns'
  | 'too_many_subscriptions'
  | 'unavailable'
  | 'internal_error'

/** A refused request. The client gets the message unchanged. */
export class SocketRefusal extends Error {
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string) {
    super(spellOut(message))
    this.name = 'SocketRefusal'
    this.code = code
  }
}

const LONGEST_SENTENCE = 500

/** `undefined` for a bug. */
export function toRefusal(error: unknown): SocketRefusal | undefined {
  if (error instanceof SocketRefusal) return error
  if (error instanceof EngineError)
    return new SocketRefusal(CODES[error.code], toSentence(error).slice(0, LONGEST_SENTENCE))
  if (error instanceof StorageFault) return new SocketRefusal('unavailable', 'The storage is not available.')
  return undefined
}

/** The engine uses its own name for the setting. */
function toSentence({ message, field }: EngineError): string {
  return field === 'settings.outputSchema' ? `output_schema: ${message.replace(/^outputSchema: /, '')}` : message
}

const CODES: Readonly<Record<EngineErrorCode, RefusalCode>> = {
  'session-not-found': 'session_not_found',
  'session-busy': 'session_busy',
  'nothing-to-compact': 'nothing_to_compact',
  'queue-full': 'queue_full',
  'unknown-tool-call': 'no_pending_question',
  'call-already-settled': 'no_pending_question',
  'call-not-approvable': 'no_pending_question',
  'agent-not-found': 'invalid_payload',
  'unknown-tool': 'invalid_payload',
  'tool-name-clash': 'invalid_payload',
  'invalid-option': 'invalid_payload',
  'unknown-model': 'invalid_payload',
  'invalid-seed': 'invalid_payload',
  'invalid-input': 'invalid_payload',
  'receipt-mismatch': 'invalid_payload',
  'too-many-turns': 'too_many_turns',
  'too-many-reads': 'unavailable',
  'quota-exceeded': 'unavailable',
  'shutting-down': 'unavailable',
  'storage-full': 'unavailable',
  'storage-busy': 'unavailable',
  'storage-unavailable': 'unavailable',
}

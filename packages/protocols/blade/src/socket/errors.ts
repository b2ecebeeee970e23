import { EngineError, StorageFault, unreachable, type EngineErrorCode } from '@polylogue/engine'

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

/** A request that cannot be done. The message goes to the client as it is. */
export class SocketRefusal extends Error {
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string) {
    super(message)
    this.name = 'SocketRefusal'
    this.code = code
  }
}

const LONGEST_SENTENCE = 500

/** `undefined` for a bug: it is logged, and the client is told that something went wrong. */
export function toRefusal(error: unknown): SocketRefusal | undefined {
  if (error instanceof SocketRefusal) return error
  if (error instanceof EngineError)
    return new SocketRefusal(toCode(error.code), toSentence(error).slice(0, LONGEST_SENTENCE))
  if (error instanceof StorageFault) return new SocketRefusal('unavailable', 'The storage is not available.')
  return undefined
}

/** In the words of this door. */
function toSentence({ message, field }: EngineError): string {
  return field === 'settings.outputSchema' ? `output_schema: ${message.replace(/^outputSchema: /, '')}` : message
}

function toCode(code: EngineErrorCode): RefusalCode {
  switch (code) {
    case 'session-not-found':
      return 'session_not_found'
    case 'session-busy':
      return 'session_busy'
    case 'nothing-to-compact':
      return 'nothing_to_compact'
    case 'queue-full':
      return 'queue_full'
    case 'unknown-tool-call':
    case 'call-already-settled':
    case 'call-not-approvable':
      return 'no_pending_question'
    case 'agent-not-found':
    case 'unknown-tool':
    case 'tool-name-clash':
    case 'invalid-option':
    case 'unknown-model':
    case 'invalid-seed':
    case 'invalid-input':
    case 'receipt-mismatch':
      return 'invalid_payload'
    case 'too-many-turns':
      return 'too_many_turns'
    case 'shutting-down':
    case 'storage-full':
    case 'storage-busy':
    case 'storage-unavailable':
      return 'unavailable'
    default:
      return unreachable(code)
  }
}

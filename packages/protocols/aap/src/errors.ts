import { EngineError, StorageFault, unreachable, type EngineErrorCode } from '@polylogue/engine'

export type ErrorStatus = 400 | 401 | 404 | 409 | 413 | 415 | 429 | 503 | 507

/** A request that this door refuses by itself. The message goes to the client as it is: it holds no option values. */
export class WireError extends Error {
  readonly status: ErrorStatus

  constructor(status: ErrorStatus, message: string) {
    super(message)
    this.name = 'WireError'
    this.status = status
  }
}

export const sessionNotFound = (): WireError => new WireError(404, 'there is no such session')

export interface HttpRefusal {
  readonly status: ErrorStatus
  readonly body: { readonly error: string; readonly code?: string }
  /** Set where waiting helps. */
  readonly retryAfterS?: number
}

/** `undefined` for a bug: whoever mounted the door logs it and answers 500. */
export function toHttpRefusal(error: unknown): HttpRefusal | undefined {
  if (error instanceof WireError) return { status: error.status, body: { error: cut(error.message) } }
  if (error instanceof EngineError) {
    const field = error.field === undefined ? undefined : toWireField(error.field)
    const text = field === undefined || error.message.startsWith(field) ? error.message : `${field}: ${error.message}`
    return refusalOf(error.code, cut(text))
  }
  if (error instanceof StorageFault) {
    const code = error.kind === 'broken' ? 'storage-unavailable' : (`storage-${error.kind}` as const)
    return refusalOf(code, 'The storage is not available')
  }
  return undefined
}

const LONGEST_SENTENCE = 500

/** A sentence may quote the client, and a client's name for something can be as long as its request. */
function cut(sentence: string): string {
  if (sentence.length <= LONGEST_SENTENCE) return sentence
  return `${sentence.slice(0, LONGEST_SENTENCE - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

const RETRY_AFTER_S: { readonly [code in EngineErrorCode]?: number } = {
  'too-many-turns': 5,
  'storage-busy': 2,
  'storage-unavailable': 10,
  'shutting-down': 2,
}

function refusalOf(code: EngineErrorCode, error: string): HttpRefusal {
  const retryAfterS = RETRY_AFTER_S[code]
  return { status: toStatus(code), body: { error, code }, ...(retryAfterS !== undefined && { retryAfterS }) }
}

function toStatus(code: EngineErrorCode): ErrorStatus {
  switch (code) {
    case 'session-not-found':
      return 404
    case 'agent-not-found':
    case 'unknown-tool-call':
    case 'call-not-approvable':
    case 'unknown-tool':
    case 'tool-name-clash':
    case 'invalid-option':
    case 'unknown-model':
    case 'invalid-seed':
    case 'invalid-input':
      return 400
    case 'session-busy':
    case 'nothing-to-compact':
    case 'queue-full':
    case 'call-already-settled':
    case 'receipt-mismatch':
      return 409
    case 'too-many-turns':
      return 429
    case 'storage-full':
      return 507
    case 'shutting-down':
    case 'storage-busy':
    case 'storage-unavailable':
      return 503
    default:
      return unreachable(code)
  }
}

const FIELD_WORDS: readonly (readonly [engine: RegExp, wire: string])[] = [
  [/^(?:input\.)?content\b/, 'messages[0].content'],
  [/^input\b/, 'messages[0]'],
  [/^(?:answers|seed)\b/, 'messages'],
  [/^(?:changes\.)?access(?:\.tools)?\b/, 'agent.tools'],
  [/^(?:changes\.)?clientTools\b/, 'tools'],
  [/^(?:changes\.)?options\b/, 'agent.options'],
  [/^(?:changes\.)?agent$/, 'agent.name'],
]

/** The engine names the wrong part in its own words; the client knows it by the name on this wire. */
function toWireField(field: string): string {
  for (const [engine, wire] of FIELD_WORDS) {
    if (engine.test(field)) return field.replace(engine, wire)
  }
  return field
}

import { EngineError, StorageFault, type EngineErrorCode } from '@polylogue/engine'
import { BodyRefused, ENGINE_ERROR_STATUS, codeOfFault, retryAfterOf, type EngineErrorStatus } from '@polylogue/kit'

export type ErrorStatus = 401 | BodyRefused['status'] | EngineErrorStatus

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
  if (error instanceof WireError || error instanceof BodyRefused)
    return { status: error.status, body: { error: cut(error.message) } }
  if (error instanceof EngineError) {
    const field = error.field === undefined ? undefined : toWireField(error.field)
    const text = field === undefined || error.message.startsWith(field) ? error.message : `${field}: ${error.message}`
    return refusalOf(error.code, cut(text))
  }
  if (error instanceof StorageFault) return refusalOf(codeOfFault(error), 'The storage is not available')
  return undefined
}

const LONGEST_SENTENCE = 500

/** A sentence may quote the client, and a client's name for something can be as long as its request. */
function cut(sentence: string): string {
  if (sentence.length <= LONGEST_SENTENCE) return sentence
  return `${sentence.slice(0, LONGEST_SENTENCE - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

function refusalOf(code: EngineErrorCode, error: string): HttpRefusal {
  const retryAfterS = retryAfterOf(code)
  return { status: ENGINE_ERROR_STATUS[code], body: { error, code }, ...(retryAfterS !== undefined && { retryAfterS }) }
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

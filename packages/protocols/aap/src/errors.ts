import { EngineError, StorageFault, spellOut, type EngineErrorCode } from '@polylogue/engine'
import { BodyRefused, ENGINE_ERROR_STATUS, codeOfFault, retryAfterOf, type EngineErrorStatus } from '@polylogue/kit'

export type ErrorStatus = 401 | BodyRefused['status'] | EngineErrorStatus

/** A refusal by this door. The client receives the message, so it must not contain option values. */
export class WireError extends Error {
  readonly status: ErrorStatus

  constructor(status: ErrorStatus, message: string) {
    super(spellOut(message))
    this.name = 'WireError'
    this.status = status
  }
}

export const sessionNotFound = (): WireError => new WireError(404, 'there is no such session')

export interface HttpRefusal {
  readonly status: ErrorStatus
  readonly body: { readonly error: string; readonly code?: string }
  /** Set if a later attempt may succeed. */
  readonly retryAfterS?: number
}

/** Returns `undefined` for a bug: the server logs it and answers 500. */
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

/** A message may quote a name that the client chose, which can be as long as the request. */
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

/** Translates a field of a command to its name on this wire. */
function toWireField(field: string): string {
  for (const [engine, wire] of FIELD_WORDS) {
    if (engine.test(field)) return field.replace(engine, wire)
  }
  return field
}

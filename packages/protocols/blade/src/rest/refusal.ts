import { EngineError, StorageFault, spellOut, type EngineErrorCode } from '@polylogue/engine'
import { ENGINE_ERROR_STATUS, codeOfFault, retryAfterOf } from '@polylogue/kit'

export type RefusalStatus = 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 501 | 502 | 503 | 507

/** A refused request. It is sent as its status and `{"detail": message}`. */
export class Refusal extends Error {
  readonly status: RefusalStatus
  readonly retryAfterS: number | undefined

  constructor(status: RefusalStatus, detail: string, options: { readonly retryAfterS?: number | undefined } = {}) {
    super(spellOut(detail))
    this.name = 'Refusal'
    this.status = status
    this.retryAfterS = options.retryAfterS
  }
}

/** The same text for another user's id, an unknown id and a malformed id. */
export const noSuchSession = (): Refusal => new Refusal(404, 'There is no such session.')

/** Returns `undefined` for an unexpected error. */
export function toRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (error instanceof StorageFault) return toStorageRefusal(error)
  if (!(error instanceof EngineError)) return undefined
  const { code, message, field } = error
  if (code === 'session-not-found') return noSuchSession()
  const status = statusOf(code)
  const detail = field === undefined || status !== 422 ? sentence(message) : `${toWireField(field)}: ${message}`
  return new Refusal(status, detail, { retryAfterS: retryAfterOf(code) })
}

function toStorageRefusal(fault: StorageFault): Refusal {
  const code = codeOfFault(fault)
  const detail = fault.kind === 'full' ? 'The disk is full. Nothing can be stored.' : 'The storage is not available.'
  return new Refusal(statusOf(code), detail, { retryAfterS: retryAfterOf(code) })
}

/** Blade reports invalid input as 422. */
function statusOf(code: EngineErrorCode): RefusalStatus {
  const status = ENGINE_ERROR_STATUS[code]
  return status === 400 ? 422 : status
}

const FIELD_WORDS: { readonly [engine: string]: string } = {
  agent: 'solution_id',
  role: 'biz_role_id',
  title: 'intent',
  recallsMemories: 'memory_enabled',
  disabledTools: 'disable_tools',
}

/** Translates the engine's field name to Blade's. */
function toWireField(field: string): string {
  const own = field.replace(/^(?:changes|settings)\./, '')
  return FIELD_WORDS[own] ?? own
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

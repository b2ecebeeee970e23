import { EngineError, StorageFault, type EngineErrorCode } from '@polylogue/engine'
import { ENGINE_ERROR_STATUS } from '@polylogue/kit'

export type RefusalStatus = 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 501 | 502 | 503 | 507

/** A request that is not done. On the wire it is its status and `{"detail": message}`. */
export class Refusal extends Error {
  readonly status: RefusalStatus
  readonly retryAfterS: number | undefined

  constructor(status: RefusalStatus, detail: string, options: { readonly retryAfterS?: number | undefined } = {}) {
    super(detail)
    this.name = 'Refusal'
    this.status = status
    this.retryAfterS = options.retryAfterS
  }
}

/** The same words for an id of somebody else's, one that never was, and one that cannot be an id at all. */
export const noSuchSession = (): Refusal => new Refusal(404, 'There is no such session.')

const SOON_S = 5

/** `undefined`: nobody expected this error. */
export function toRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (error instanceof EngineError) {
    if (error.code === 'session-not-found') return noSuchSession()
    const status = statusOf(error.code)
    const field = error.field === undefined ? undefined : toWireField(error.field)
    const detail = field === undefined || status !== 422 ? sentence(error.message) : `${field}: ${error.message}`
    return new Refusal(status, detail, { retryAfterS: status === 429 || status === 503 ? SOON_S : undefined })
  }
  if (!(error instanceof StorageFault)) return undefined
  if (error.kind === 'full') return new Refusal(507, 'The disk is full, so nothing can be stored until there is room.')
  return new Refusal(503, 'The storage is not available.', { retryAfterS: SOON_S })
}

/** This wire says 422 where others say 400. */
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

/** The engine names the wrong part in its own words; the client knows it by the name on this wire. */
function toWireField(field: string): string {
  const own = field.replace(/^(?:changes|settings)\./, '')
  return FIELD_WORDS[own] ?? own
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

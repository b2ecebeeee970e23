import { spellOut } from '@polylogue/engine'

export type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 429 | 502 | 503 | 507

/** A request that is refused; becomes `{"error": message}`. */
export class Refusal extends Error {
  readonly status: RefusalStatus
  readonly retryAfterS: number | undefined

  constructor(status: RefusalStatus, message: string, retryAfterS?: number) {
    super(spellOut(message))
    this.name = 'Refusal'
    this.status = status
    this.retryAfterS = retryAfterS
  }
}

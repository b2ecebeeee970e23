import { spellOut } from '@polylogue/engine'

/** A request of our own API that is refused; becomes `{"error": message}`. */
export class HttpRefusal extends Error {
  readonly status: HttpRefusalStatus
  readonly headers: Readonly<Record<string, string>>

  constructor(status: HttpRefusalStatus, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(spellOut(message))
    this.name = 'HttpRefusal'
    this.status = status
    this.headers = headers
  }
}

export type HttpRefusalStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 503 | 507

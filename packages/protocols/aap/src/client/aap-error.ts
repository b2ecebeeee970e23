/** The server refused a request. */
export class AapError extends Error {
  readonly status: number
  readonly code: string | undefined

  constructor(status: number, message: string, code?: string) {
    super(message)
    this.name = 'AapError'
    this.status = status
    this.code = code
  }
}

/**
 * The answer to a turn broke off and could not be resumed. What arrived was delivered. The turn may have run: read the
 * history instead of sending it again.
 */
export class TurnCutOff extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TurnCutOff'
  }
}

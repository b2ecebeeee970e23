/** The server refused a request, or did not answer as the protocol says. `message` is a sentence for the user. */
export class ConsoleRefusal extends Error {
  override readonly name = 'ConsoleRefusal'
  /** Of the HTTP answer. */
  readonly status: number
  /** Set when the engine refused, such as `session-not-found`. */
  readonly code: string | undefined

  constructor(message: string, refusal: { readonly status: number; readonly code?: string | undefined }) {
    super(message)
    this.status = refusal.status
    this.code = refusal.code
  }
}

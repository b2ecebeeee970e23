/** HTTP over `<data>/polylogue.sock`, as user `local`. */
export interface OwnerConnection {
  readonly pid: number
  request(method: string, path: string, options?: OwnerRequestOptions): Promise<OwnerResponse>
  /** When this process became the owner, stops it too: running turns get their grace. */
  close(): Promise<void>
  /** Whether this very process is the owner. */
  readonly embedded: boolean
}

export interface OwnerRequestOptions {
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** The body is read once, in one of three ways. */
export interface OwnerResponse {
  readonly status: number
  readonly headers: Record<string, string>
  json(): Promise<unknown>
  text(): Promise<string>
  /** As it arrives. Rejects when the owner went away in the middle. */
  chunks(): AsyncIterable<string>
}

/** HTTP over `<data>/polylogue.sock`, as user `local`. */
export interface OwnerConnection {
  readonly pid: number
  request(method: string, path: string, options?: OwnerRequestOptions): Promise<OwnerResponse>
  /** If this process became the owner, closing stops it too, after a grace period for running turns. */
  close(): Promise<void>
  /** Whether this process is the owner. */
  readonly embedded: boolean
}

export interface OwnerRequestOptions {
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** The body can be read once, in one of three ways. */
export interface OwnerResponse {
  readonly status: number
  readonly headers: Record<string, string>
  json(): Promise<unknown>
  text(): Promise<string>
  /** The body as it arrives. Rejects when the owner goes away before its end. */
  chunks(): AsyncIterable<string>
}

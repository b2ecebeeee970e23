/** Whoever answers the editor's frames: another process that owns the data directory, or this one. */
export interface Back {
  /** Never throws: what cannot be sent any more shows in `output`. */
  send(bytes: Uint8Array): void
  /** The editor has left; answers may still come. */
  end(): void
  /** Ends when the owner hangs up, and when it dies. Never throws. */
  readonly output: AsyncIterable<Uint8Array>
}

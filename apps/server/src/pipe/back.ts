/** The owner of the data directory as a client's process sees it: another process, or this one. */
export interface Back {
  /** Never throws: a failure ends `output`. */
  send(bytes: Uint8Array): void
  /** The client has left; answers may still come. */
  end(): void
  /** Ends when the owner closes the connection or dies. Never throws. */
  readonly output: AsyncIterable<Uint8Array>
}

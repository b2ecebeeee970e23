/** What the process that an editor started tells the owner of the data directory before the first frame. */
export interface AcpHandshake {
  /** Of new sessions; absent: the default agent. */
  readonly agent?: string
  readonly profile: 'standard' | 'seed'
  /** For the first new session. Without a selector: the one that changed last. */
  readonly resume?: { readonly selector?: string; readonly replay: 'before' | 'after' }
}

/** As the value of a header line: any selector survives it. */
export function writeHandshake(handshake: AcpHandshake): string {
  return encodeURIComponent(JSON.stringify(handshake))
}

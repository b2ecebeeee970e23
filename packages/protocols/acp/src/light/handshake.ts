import type { AcpProfile, AcpResume } from '../deps.ts'

/** What the process of an editor sends to the owner of the data directory before the first frame. */
export interface AcpHandshake {
  /** The agent of new sessions; absent: the default agent. */
  readonly agent?: string
  readonly profile: AcpProfile
  /** For the first new session. */
  readonly resume?: AcpResume
}

/** As the value of a header line, which must be ASCII. */
export function writeHandshake(handshake: AcpHandshake): string {
  return encodeURIComponent(JSON.stringify(handshake))
}

import type { UserId } from '@polylogue/engine'

/** Who a request speaks for, once it has shown a key, a sign-in cookie, or came through the owner socket. */
export interface Caller {
  readonly userId: UserId
  readonly via: 'key' | 'cookie' | 'owner-socket'
  /** The key or sign-in that was shown. */
  readonly keyId: string
  /** Aborts when it is revoked: whatever it opened ends then. */
  readonly revoked: AbortSignal
}

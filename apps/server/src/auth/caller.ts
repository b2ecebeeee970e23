import type { UserId } from '@polylogue/engine'

/** Who a request speaks for, once it has shown a key, a sign-in cookie, or came through the owner socket. */
export interface Caller {
  readonly userId: UserId
  readonly via: 'key' | 'cookie' | 'owner-socket'
  /** The key or sign-in that was shown. Absent on the owner socket. */
  readonly keyId?: string
}

import type { UserId } from '@polylogue/engine'

/** Who a request speaks for, by a key, a sign-in cookie or the owner socket. */
export interface Caller {
  readonly userId: UserId
  readonly via: 'key' | 'cookie' | 'owner-socket'
  /** The key or sign-in that was shown. */
  readonly keyId: string
  /** Whether it may make keys, links and users: a cookie may only shortly after its sign-in. */
  readonly mayMakeKeys: boolean
  /** Of a page that is embedded: it sees this session and no other. */
  readonly onlySession?: string
  /** Aborts when it is revoked or expires: whatever it opened ends then. */
  readonly revoked: AbortSignal
}

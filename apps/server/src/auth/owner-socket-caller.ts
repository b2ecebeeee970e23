import type { Authenticate } from './authenticate.ts'
import { LOCAL_USER } from './key-ring.ts'

const NEVER = new AbortController().signal

/** A process that can open the socket file can also read `local.key` beside it, so no key is needed. */
export const authenticateOwnerSocket: Authenticate = async () => ({
  type: 'caller',
  caller: { userId: LOCAL_USER, via: 'owner-socket', keyId: 'owner-socket', mayMakeKeys: true, revoked: NEVER },
})

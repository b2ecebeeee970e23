import type { Authenticate } from './authenticate.ts'
import { LOCAL_USER } from './key-ring.ts'

const NEVER = new AbortController().signal

/** Whoever can open the socket file can read `local.key` beside it: no key is asked for. */
export const authenticateOwnerSocket: Authenticate = async () => ({
  type: 'caller',
  caller: { userId: LOCAL_USER, via: 'owner-socket', keyId: 'owner-socket', revoked: NEVER },
})

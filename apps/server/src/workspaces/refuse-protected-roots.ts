import type { ProtectedSet } from '@polylogue/tools'
import type { SessionPinsOptions } from './session-pins.ts'

/**
 * Why a directory that a client named may not be a root. A directory in the user's home that holds credentials is one if
 * the client opens it at this moment, but not when a server finds it again by itself.
 */
export function refuseProtectedRoots(protectedSet: ProtectedSet): SessionPinsOptions['refuse'] {
  return (root, { isOpened }) => {
    const [entry] = protectedSet.look().find(root, 'read')
    if (entry === undefined) return undefined
    if (entry.grade === 'secret') return 'belongs to the server: no session works there'
    if (entry.isReadAtStart) return "belongs to the server's configuration: no session works there"
    return isOpened ? undefined : `is protected (${entry.path}): its client must load the session to work there`
  }
}

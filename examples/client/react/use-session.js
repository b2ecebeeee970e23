// A session in React. A component that calls useSession is drawn again whenever something changes.
import { useCallback, useSyncExternalStore } from 'react'

export const useSession = (session) => useSyncExternalStore(session.subscribe, session.getSnapshot)

/** One turn. A component that calls it is drawn again only when that turn changes. */
export function useTurn(session, turnId) {
  const subscribe = useCallback((listener) => session.watchTurn(turnId, listener), [session, turnId])
  return useSyncExternalStore(subscribe, () => session.turn(turnId))
}

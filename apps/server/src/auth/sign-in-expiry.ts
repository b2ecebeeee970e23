import type { Clock, Timer } from '@polylogue/engine'

/** Ends what sign-ins have opened when they expire: a stream or a socket outlives the request that opened it. */
export interface SignInExpiry {
  /** Waits for the end of a sign-in that opens something. `at`: when it expires if it is not used again. */
  watch(signIn: { readonly id: string; readonly hash: string }, at: number): void
  forget(id: string): void
}

export interface SignInExpiryDeps {
  readonly clock: Clock
  /** When it expires, as the storage knows it: it was used since, perhaps by way of another node. `undefined`: it is over. */
  findExpiry(hash: string): Promise<number | undefined>
  end(id: string): void
}

/** The storage did not answer. */
const AGAIN_MS = 60_000

export function createSignInExpiry({ clock, findExpiry, end }: SignInExpiryDeps): SignInExpiry {
  const timers = new Map<string, Timer>()

  const wait = (id: string, hash: string, at: number): void => {
    const timer = clock.setTimer(Math.max(0, at - clock.now()), () => void look(id, hash))
    timers.set(id, timer)
  }

  const look = async (id: string, hash: string): Promise<void> => {
    // The observer of the store reports the fault.
    const at = await findExpiry(hash).catch(() => clock.now() + AGAIN_MS)
    if (!timers.has(id)) return
    if (at !== undefined && at > clock.now()) return wait(id, hash, at)
    timers.delete(id)
    end(id)
  }

  return {
    watch({ id, hash }, at) {
      if (!timers.has(id)) wait(id, hash, at)
    },
    forget(id) {
      timers.get(id)?.cancel()
      timers.delete(id)
    },
  }
}

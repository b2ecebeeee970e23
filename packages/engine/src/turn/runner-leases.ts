import type { EngineParts } from '../engine-parts.ts'
import { failpoint } from '../failpoint.ts'
import type { SessionId } from '../ids.ts'
import type { Timer } from '../ports/clock.ts'
import type { Fence, LeaseClaim } from '../ports/event-store.ts'
import type { StopReason } from './turn-deps.ts'

// Long enough to survive a stalled event loop, short enough for another process to take over within seconds.
export const LEASE_MS = 5_000

interface LeaseHolder {
  /** Absent until the session is claimed. */
  readonly fence?: Fence
  readonly abort: AbortController
}

/** The leases of this process's runners. */
export class RunnerLeases {
  /** A claim that joins an append. */
  readonly claim: LeaseClaim
  readonly #parts: Pick<EngineParts, 'store' | 'clock' | 'log'>
  readonly #holders: ReadonlyMap<SessionId, LeaseHolder>
  #renewal: Timer | undefined

  constructor(
    parts: Pick<EngineParts, 'store' | 'clock' | 'log'>,
    owner: string,
    holders: ReadonlyMap<SessionId, LeaseHolder>,
  ) {
    this.#parts = parts
    this.#holders = holders
    this.claim = { owner, leaseMs: LEASE_MS }
  }

  async claimNow(sessionId: SessionId): Promise<Fence | undefined> {
    const { store } = this.#parts
    const fence = await store.claim(sessionId, this.claim.owner, LEASE_MS)
    await failpoint('claim.after')
    return fence
  }

  async release(sessionId: SessionId, fence: Fence): Promise<void> {
    try {
      await this.#parts.store.release(sessionId, fence)
    } catch (error) {
      this.#parts.log({ level: 'warn', message: 'a lease was not released', sessionId, error })
    }
  }

  /** Renews the leases at intervals while there are holders. */
  keep(): void {
    if (this.#renewal !== undefined) return
    this.#renewal = this.#parts.clock.setTimer(LEASE_MS / 3, () => {
      this.#renewal = undefined
      if (this.#holders.size === 0) return
      void this.#renew().finally(() => this.keep())
    })
  }

  stop(): void {
    this.#renewal?.cancel()
  }

  async #renew(): Promise<void> {
    try {
      const held = new Map([...this.#holders].filter(([, { fence }]) => fence !== undefined))
      if (held.size === 0) return
      const lost = await this.#parts.store.renew(this.claim.owner, [...held.keys()], LEASE_MS)
      // The session may already have a new runner with a new lease. Stop only the runner that lost this lease.
      for (const id of lost) held.get(id)?.abort.abort('fenced' satisfies StopReason)
    } catch (error) {
      this.#parts.log({ level: 'warn', message: 'leases were not renewed', error })
    }
  }
}

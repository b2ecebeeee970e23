import type { DatabaseSync } from 'node:sqlite'
import type { Clock, Fence, SessionId } from '@polylogue/engine'
import { type Row, integerIn, textIn } from '@polylogue/store-rows'
import type { SessionHeads } from './session-heads.ts'

/** Who may run a session. */
export interface SessionLease {
  readonly owner: string | undefined
  readonly epoch: number
  readonly leaseUntil: number
}

export const leaseIn = (row: Row): SessionLease => ({
  owner: row['owner'] === null ? undefined : textIn(row, 'owner'),
  epoch: integerIn(row, 'epoch'),
  leaseUntil: integerIn(row, 'lease_until'),
})

export const mayClaim = (lease: SessionLease, owner: string, now: number): boolean =>
  lease.owner === undefined || lease.owner === owner || lease.leaseUntil <= now

/** Time does not matter: the last owner may continue until another owner claims the session. */
export const holds = (lease: SessionLease, fence: Fence): boolean =>
  lease.owner === fence.owner && lease.epoch === fence.epoch

/** Callers run these inside a transaction. */
export interface Leases {
  claim(sessionId: SessionId, owner: string, leaseMs: number): Fence | undefined
  renew(owner: string, sessionIds: readonly SessionId[], leaseMs: number): readonly SessionId[]
  release(sessionId: SessionId, fence: Fence): void
  drop(): void
  isHeldBy(sessionId: SessionId, fence: Fence): boolean
}

export function prepareLeases(db: DatabaseSync, clock: Clock, heads: SessionHeads): Leases {
  const take = db.prepare('UPDATE sessions SET owner = ?, epoch = ?, lease_until = ? WHERE session_id = ?')
  const extend = db.prepare('UPDATE sessions SET lease_until = ? WHERE session_id = ? AND owner = ?')
  const free = db.prepare(
    'UPDATE sessions SET owner = NULL, lease_until = 0 WHERE session_id = ? AND owner = ? AND epoch = ?',
  )
  const freeAll = db.prepare('UPDATE sessions SET owner = NULL, lease_until = 0 WHERE owner IS NOT NULL')

  return {
    claim(sessionId, owner, leaseMs) {
      const head = heads.find(sessionId)
      const now = clock.now()
      if (head === undefined || !mayClaim(head, owner, now)) return undefined
      const epoch = head.epoch + 1
      take.run(owner, epoch, now + leaseMs, sessionId)
      heads.remember(sessionId, { ...head, owner, epoch, leaseUntil: now + leaseMs })
      return { owner, epoch }
    },
    renew(owner, sessionIds, leaseMs) {
      const until = clock.now() + leaseMs
      return sessionIds.filter((sessionId) => {
        heads.forget(sessionId)
        return extend.run(until, sessionId, owner).changes === 0
      })
    },
    release(sessionId, fence) {
      heads.forget(sessionId)
      free.run(sessionId, fence.owner, fence.epoch)
    },
    drop() {
      heads.forgetAll()
      freeAll.run()
    },
    isHeldBy(sessionId, fence) {
      const head = heads.find(sessionId)
      return head !== undefined && holds(head, fence)
    },
  }
}

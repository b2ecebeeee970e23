import type { AppendConflict, Fence } from '@polylogue/engine'

/** A minimal event store that `concurrency.ts` compares real ones with. Times are those of the fake clock. */
export interface StoreModel {
  readonly now: number
  readonly sessions: readonly ModelSession[]
  /** Until when the lease of each owner holds. Absent: each session has a lease of its own. */
  readonly owners?: Readonly<Record<string, number>>
}

export interface ModelSession {
  readonly status: 'absent' | 'alive' | 'deleted'
  readonly texts: readonly string[]
  readonly names: readonly string[]
  readonly keys: readonly string[]
  readonly draft: string | undefined
  readonly isWanted: boolean
  readonly owner: string | undefined
  readonly epoch: number
  readonly leaseUntil: number
}

export type ModelOperation =
  | {
      readonly type: 'append'
      readonly session: number
      readonly expectedSeq: number
      readonly creates: boolean
      readonly text: string
      readonly fence: Fence | undefined
      /** The owner that claims the session with this append. */
      readonly claims: string | undefined
      readonly releases: boolean
      readonly isWanted: boolean
      readonly name: string | undefined
      readonly key: string | undefined
      readonly clearsDraft: boolean
    }
  | { readonly type: 'claim'; readonly session: number; readonly owner: string }
  | { readonly type: 'renew'; readonly owner: string }
  | { readonly type: 'release'; readonly session: number; readonly fence: Fence }
  | { readonly type: 'save-draft'; readonly session: number; readonly fence: Fence; readonly text: string }
  | { readonly type: 'delete'; readonly session: number }
  | { readonly type: 'drop-leases' }

/**
 * `undefined`, a boolean, a conflict, the last seq (with the epoch if the append claims), an epoch, or the sessions
 * whose lease was lost.
 */
export type ModelAnswer = undefined | boolean | AppendConflict | number | readonly number[]

export const LEASE_MS = 1_000

const ABSENT: ModelSession = {
  status: 'absent',
  texts: [],
  names: [],
  keys: [],
  draft: undefined,
  isWanted: false,
  owner: undefined,
  epoch: 0,
  leaseUntil: 0,
}

export const emptyModel = (now: number, sessions: number, leases: 'session' | 'owner'): StoreModel => ({
  now,
  sessions: Array.from({ length: sessions }, () => ABSENT),
  ...(leases === 'owner' && { owners: {} }),
})

export function sessionOf(model: StoreModel, index: number): ModelSession {
  return model.sessions[index] ?? ABSENT
}

export function applyOperation(model: StoreModel, operation: ModelOperation): readonly [StoreModel, ModelAnswer] {
  const put = (index: number, change: Partial<ModelSession>): StoreModel => ({
    ...model,
    sessions: model.sessions.map((session, at) => (at === index ? { ...session, ...change } : session)),
  })
  const leaseUntil = model.now + LEASE_MS

  switch (operation.type) {
    case 'append': {
      const session = sessionOf(model, operation.session)
      const refusal = refusalOf(session, operation, model)
      if (refusal !== undefined) return [model, refusal]
      const texts = [...session.texts, operation.text]
      const change: Partial<ModelSession> = {
        status: 'alive',
        texts,
        isWanted: operation.isWanted,
        names: [...session.names, ...(operation.name === undefined ? [] : [operation.name])],
        keys: [...session.keys, ...(operation.key === undefined ? [] : [operation.key])],
        draft: operation.clearsDraft ? undefined : session.draft,
        ...(operation.releases && { owner: undefined }),
      }
      if (operation.claims === undefined) return [put(operation.session, change), texts.length]
      const epoch = session.epoch + 1
      const claimed = put(operation.session, { ...change, owner: operation.claims, epoch, leaseUntil })
      return [withLease(claimed, operation.claims), [texts.length, epoch]]
    }
    case 'claim': {
      const session = sessionOf(model, operation.session)
      if (session.status !== 'alive' || isHeldAgainst(session, operation.owner, model)) return [model, undefined]
      const epoch = session.epoch + 1
      return [withLease(put(operation.session, { owner: operation.owner, epoch, leaseUntil }), operation.owner), epoch]
    }
    case 'renew': {
      const isOwn = (session: ModelSession): boolean => session.status === 'alive' && session.owner === operation.owner
      const sessions = model.sessions.map((session) => (isOwn(session) ? { ...session, leaseUntil } : session))
      const owners = model.owners && { owners: { ...model.owners, [operation.owner]: leaseUntil } }
      const lost = model.sessions.flatMap((session, index) => (isOwn(session) ? [] : [index]))
      return [{ ...model, sessions, ...owners }, lost]
    }
    case 'release': {
      if (!holds(sessionOf(model, operation.session), operation.fence)) return [model, undefined]
      return [put(operation.session, { owner: undefined }), undefined]
    }
    case 'save-draft': {
      if (!holds(sessionOf(model, operation.session), operation.fence)) return [model, false]
      return [put(operation.session, { draft: operation.text }), true]
    }
    case 'delete': {
      if (sessionOf(model, operation.session).status !== 'alive') return [model, false]
      return [put(operation.session, { ...ABSENT, status: 'deleted' }), true]
    }
    case 'drop-leases':
      return [{ ...model, sessions: model.sessions.map((session) => ({ ...session, owner: undefined })) }, undefined]
  }
}

function refusalOf(
  session: ModelSession,
  { creates, expectedSeq, fence, claims, name, key }: Extract<ModelOperation, { type: 'append' }>,
  model: StoreModel,
): AppendConflict | undefined {
  if (session.status === 'deleted') return 'session-gone'
  if (session.status === 'absent' && (!creates || expectedSeq !== 0)) return 'session-gone'
  if (fence !== undefined && !holds(session, fence)) return 'fenced'
  if (session.status === 'alive' && (creates || session.texts.length !== expectedSeq)) return 'seq-moved'
  if (claims !== undefined && isHeldAgainst(session, claims, model)) return 'lease-held'
  if (key !== undefined && session.keys.includes(key)) return 'receipt-taken'
  if (name !== undefined && session.names.includes(name)) return 'name-taken'
  return undefined
}

function isHeldAgainst(session: ModelSession, claimant: string, model: StoreModel): boolean {
  return session.owner !== claimant && isHeld(session, model)
}

export function isHeld({ owner, leaseUntil }: ModelSession, { now, owners }: StoreModel): boolean {
  return owner !== undefined && (owners === undefined ? leaseUntil : (owners[owner] ?? 0)) > now
}

/** A claim extends the lease of its owner only if less than half of it is left. */
function withLease(model: StoreModel, owner: string): StoreModel {
  const { owners, now } = model
  if (owners === undefined || (owners[owner] ?? 0) >= now + LEASE_MS / 2) return model
  return { ...model, owners: { ...owners, [owner]: now + LEASE_MS } }
}

function holds(session: ModelSession, fence: Fence): boolean {
  return session.status === 'alive' && session.owner === fence.owner && session.epoch === fence.epoch
}

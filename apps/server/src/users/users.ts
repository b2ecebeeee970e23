import {
  EngineError,
  asUserId,
  type Clock,
  type Engine,
  type EventStore,
  type KeyRecord,
  type MemoryStore,
  type RuleStore,
  type ScheduleStore,
  type UserId,
  type UserRecord,
  type UserRole,
  type UserStore,
} from '@polylogue/engine'
import { LOCAL_USER, type KeyRing } from '../auth/key-ring.ts'

export interface ListedUser {
  readonly userId: UserId
  readonly role: UserRole
  /** Absent for the user `local`, and for users that only ever got a key. */
  readonly createdAt?: number
  readonly keys: number
  /** Browsers that are signed in. */
  readonly browsers: number
  readonly lastUsedAt?: number
}

export type Removal =
  | { readonly type: 'removed'; readonly sessions: number }
  | { readonly type: 'unknown' }
  | { readonly type: 'refused'; readonly reason: 'local' | 'has-sessions' }

/** The users of this server. `local` always exists and is an admin. */
export interface Users {
  /** By name. Users that have a key or a sign-in but were never added are listed too. */
  list(): Promise<readonly ListedUser[]>
  isAdmin(userId: UserId): Promise<boolean>
  exists(userId: UserId): Promise<boolean>
  /** Returns `false` if the user exists. */
  add(userId: UserId, role: UserRole): Promise<boolean>
  /** Returns `false` if the user does not exist. */
  changeRole(userId: UserId, role: UserRole): Promise<boolean>
  /** Ends every key and sign-in first, then removes all that belongs to the user. */
  remove(userId: UserId, options: { readonly deleteSessions: boolean }): Promise<Removal>
}

export interface UsersDeps {
  readonly store: UserStore
  readonly keys: Pick<KeyRing, 'list' | 'revoke'>
  readonly events: Pick<EventStore, 'listSessions'>
  readonly engine: Pick<Engine, 'execute'>
  readonly memories: Pick<MemoryStore, 'listMemories' | 'removeMemories'>
  readonly rules: Pick<RuleStore, 'listRules' | 'removeRule'>
  readonly schedules: Pick<ScheduleStore, 'listSchedules' | 'removeSchedule'>
  readonly clock: Pick<Clock, 'now'>
}

const PAGE = 200

export function createUsers(deps: UsersDeps): Users {
  const { store, keys, events, engine, clock } = deps
  const hasSessions = async (userId: UserId): Promise<boolean> =>
    (await events.listSessions({ userId, limit: 1 })).length > 0
  const exists = async (userId: UserId): Promise<boolean> =>
    userId === LOCAL_USER ||
    (await store.findUser(userId)) !== undefined ||
    (await keys.list(userId)).length > 0 ||
    // A link for this name would open what somebody left here.
    (await hasSessions(userId))

  return {
    exists,

    async list() {
      const [records, allKeys] = await Promise.all([store.listUsers(), keys.list()])
      const names = new Set([
        LOCAL_USER,
        ...records.map(({ userId }) => userId),
        ...allKeys.map(({ userId }) => userId),
      ])
      return [...names].toSorted().map((userId) =>
        toListed(
          userId,
          records.find((record) => record.userId === userId),
          allKeys.filter((key) => key.userId === userId),
        ),
      )
    },

    isAdmin: async (userId) => userId === LOCAL_USER || (await store.findUser(userId))?.role === 'admin',

    async add(userId, role) {
      if (await exists(userId)) return false
      return store.addUser({ userId, role, createdAt: clock.now() })
    },

    async changeRole(userId, role) {
      if (!(await exists(userId))) return false
      // Somebody who only ever got a key has no record yet.
      return (await store.changeRole(userId, role)) || store.addUser({ userId, role, createdAt: clock.now() })
    },

    async remove(userId, { deleteSessions }) {
      if (userId === LOCAL_USER) return { type: 'refused', reason: 'local' }
      const isOccupied = await hasSessions(userId)
      if (!(await exists(userId))) return { type: 'unknown' }
      if (isOccupied && !deleteSessions) return { type: 'refused', reason: 'has-sessions' }
      const revokeAll = async (): Promise<void> => {
        for (const { id } of await keys.list(userId)) await keys.revoke(id)
      }
      await revokeAll()
      await removeBelongings(userId, deps)
      let sessions = 0
      for (;;) {
        const page = await events.listSessions({ userId, limit: PAGE })
        if (page.length === 0) break
        for (const { sessionId } of page) {
          try {
            await engine.execute({ type: 'delete-session', userId, sessionId })
            sessions += 1
          } catch (error) {
            // Another node was faster: it deletes old sessions, or removes the same user.
            if (!(error instanceof EngineError && error.code === 'session-not-found')) throw error
          }
        }
      }
      await store.removeUser(userId)
      // A sign-in that was under way when the first ones ended.
      await revokeAll()
      return { type: 'removed', sessions }
    },
  }
}

async function removeBelongings(userId: UserId, { memories, rules, schedules }: UsersDeps): Promise<void> {
  for (const { scheduleId } of await schedules.listSchedules(userId)) await schedules.removeSchedule(userId, scheduleId)
  for (const { ruleId } of await rules.listRules(userId)) await rules.removeRule(userId, ruleId)
  for (;;) {
    const page = await memories.listMemories(userId, { limit: PAGE })
    if (page.memories.length === 0) return
    await memories.removeMemories(
      userId,
      page.memories.map(({ memoryId }) => memoryId),
    )
  }
}

function toListed(userId: UserId, record: UserRecord | undefined, own: readonly KeyRecord[]): ListedUser {
  const used = own.flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
  return {
    userId,
    role: userId === LOCAL_USER ? 'admin' : (record?.role ?? 'user'),
    ...(record && { createdAt: record.createdAt }),
    keys: own.filter(({ kind }) => kind === 'api').length,
    browsers: own.filter(({ kind }) => kind === 'browser').length,
    ...(used.length > 0 && { lastUsedAt: Math.max(...used) }),
  }
}

const USER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** `undefined` for a text that cannot be the name of a user. */
export function toUserId(name: string): UserId | undefined {
  return USER_NAME.test(name) ? asUserId(name) : undefined
}

import type { UserId } from '../ids.ts'

/** The users of a server. A user owns sessions, keys, memories, rules and schedules; those live in other stores. */
export interface UserStore {
  /** Returns `false` and changes nothing if the user exists. */
  addUser(user: UserRecord): Promise<boolean>
  findUser(userId: UserId): Promise<UserRecord | undefined>
  /** In the order of their names. */
  listUsers(): Promise<readonly UserRecord[]>
  /** Returns `false` if the user does not exist. */
  changeRole(userId: UserId, role: UserRole): Promise<boolean>
  /** Returns `false` if the user does not exist. */
  removeUser(userId: UserId): Promise<boolean>
}

/** An `admin` manages users. No role can read what belongs to another user. */
export type UserRole = 'user' | 'admin'

export interface UserRecord {
  readonly userId: UserId
  readonly role: UserRole
  readonly createdAt: number
}

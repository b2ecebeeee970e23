import type { UserId } from '../ids.ts'

/** API keys and browser sign-ins. Only hashes are stored; the plain text is shown once. */
export interface KeyStore {
  createKey(key: NewKey): Promise<void>
  /** Finds a key by its SHA-256. Revoked and expired keys are not found. */
  findKey(hash: string): Promise<KeyRecord | undefined>
  /** The keys of one user, or of all users, newest first. Revoked keys are left out. */
  listKeys(userId?: UserId): Promise<readonly KeyRecord[]>
  renameKey(id: string, name: string): Promise<boolean>
  /** Returns `false` if the key does not exist or is already revoked. */
  revokeKey(id: string): Promise<boolean>
  /** Those of the given keys that are revoked or unknown. */
  findRevoked(ids: readonly string[]): Promise<readonly string[]>
  /** Contract: cheap, because every request calls it. The write may be delayed. */
  touchKey(id: string, at: number): void
}

export interface NewKey {
  readonly id: string
  readonly userId: UserId
  readonly kind: 'api' | 'browser'
  readonly name: string
  readonly hash: string
  /** The displayable parts: the prefix and the last four characters. */
  readonly prefix: string
  readonly lastFour: string
  readonly createdAt: number
  readonly expiresAt?: number
}

export interface KeyRecord {
  readonly id: string
  readonly userId: UserId
  readonly kind: 'api' | 'browser'
  readonly name: string
  readonly prefix: string
  readonly lastFour: string
  readonly createdAt: number
  readonly lastUsedAt?: number
  readonly expiresAt?: number
}

import type { UserId } from '../ids.ts'

/** API keys and browser sign-ins. Only hashes are stored; the plain text is shown once and forgotten. */
export interface KeyStore {
  createKey(key: NewKey): Promise<void>
  /** Looks up by SHA-256; a revoked or expired key is not found. */
  findKey(hash: string): Promise<KeyRecord | undefined>
  /** Without a user, the keys of everybody. Newest first; revoked ones are left out. */
  listKeys(userId?: UserId): Promise<readonly KeyRecord[]>
  renameKey(id: string, name: string): Promise<boolean>
  /** `false` when there was no such key or it was revoked before. */
  revokeKey(id: string): Promise<boolean>
  /** Contract: cheap, called on every request; may be written late. */
  touchKey(id: string, at: number): void
}

export interface NewKey {
  readonly id: string
  readonly userId: UserId
  readonly kind: 'api' | 'browser'
  readonly name: string
  readonly hash: string
  /** What may be shown of it: prefix and last four characters. */
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

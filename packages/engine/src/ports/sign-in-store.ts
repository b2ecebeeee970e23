import type { UserId } from '../ids.ts'

/** One-time codes that sign a browser in. Only hashes are stored. */
export interface SignInStore {
  /** Adding a code removes expired codes, and the oldest codes of the user beyond `SIGN_IN_LIMITS.perUser`. */
  addCode(code: NewSignInCode): Promise<void>
  /**
   * Removes the code and returns its user. Returns `undefined` if the code is unknown or expired.
   * Contract: when several callers race for one code, at most one of them gets the user.
   */
  takeCode(hash: string): Promise<UserId | undefined>
}

export interface NewSignInCode {
  /** SHA-256 of the code. */
  readonly hash: string
  readonly userId: UserId
  /** The code expires at this time. */
  readonly expiresAt: number
}

export const SIGN_IN_LIMITS = { perUser: 100 } as const

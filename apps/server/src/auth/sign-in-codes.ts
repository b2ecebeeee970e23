import type { Clock, Digest, RandomBytes, SignInStore, UserId } from '@polylogue/engine'
import { encodeBase64Url } from '../platform/encode-base64url.ts'

const CODE_LIFETIME_MS = 10 * 60_000

/** One-time codes that sign a browser in. */
export interface SignInCodes {
  issue(userId: UserId): Promise<{ readonly code: string; readonly expiresAt: number }>
  /** Returns the user of the code, once, within ten minutes. */
  redeem(code: string): Promise<UserId | undefined>
}

export interface SignInCodesDeps {
  readonly store: SignInStore
  readonly clock: Clock
  readonly random: RandomBytes
  readonly digest: Digest
}

export function createSignInCodes({ store, clock, random, digest }: SignInCodesDeps): SignInCodes {
  return {
    async issue(userId) {
      const code = encodeBase64Url(random(24))
      const expiresAt = clock.now() + CODE_LIFETIME_MS
      await store.addCode({ hash: digest(code), userId, expiresAt })
      return { code, expiresAt }
    },
    redeem: (code) => store.takeCode(digest(code)),
  }
}
